import { useId, useLayoutEffect, useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { lazy } from '../parts/lazy.js';
import type { CommandsProps } from './palette.js';

const OPEN = 'open-palette';
const Commands = lazy<CommandsProps>(() => import('../views-of-work.js').then((file) => file.Commands));

type Scope = CommandsProps['scope'];
const openPalette = (scope: Scope) => window.dispatchEvent(new CustomEvent(OPEN, { detail: scope }));

/** Opens the palette by Ctrl+K or ⌘K, in text fields too, unless another dialog is open. */
export function PaletteHost({ project_id }: { project_id: string }) {
  const [scope, setScope] = useState<Scope | null>(null);
  useLayoutEffect(() => {
    const open = (event: Event) => setScope((event as CustomEvent<Scope>).detail);
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey || event.ctrlKey === event.metaKey) return;
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) setScope('all');
    };
    window.addEventListener(OPEN, open);
    document.addEventListener('keydown', press);
    return () => {
      window.removeEventListener(OPEN, open);
      document.removeEventListener('keydown', press);
    };
  }, []);
  return scope && <Palette {...{ project_id, scope }} close={() => setScope(null)} />;
}

const WANTED = { all: 'Find a task, a project or an action', projects: 'Find a project' };
const NOTHING_TYPED = { typed: '', at: 0, isEntered: false };

/** The field is there at once and takes what is typed while the commands are loading. */
function Palette(props: Pick<CommandsProps, 'project_id' | 'scope'> & { close: () => void }) {
  const [choice, setChoice] = useState(NOTHING_TYPED);
  const list = useId();
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, Enter: 0 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setChoice((before) => ({ ...before, at: before.at + step, isEntered: step === 0 }));
  };
  return (
    <Dialog title="Command palette" close={props.close}>
      <input
        type="text"
        role="combobox"
        aria-label={WANTED[props.scope]}
        aria-expanded="true"
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={`${list}-chosen`}
        autocomplete="off"
        placeholder={WANTED[props.scope]}
        value={choice.typed}
        onInput={(event) => setChoice({ ...NOTHING_TYPED, typed: event.currentTarget.value })}
        onKeyDown={press}
      />
      <Commands {...{ ...props, ...choice, list }} />
    </Dialog>
  );
}

export const PaletteButtons = () => (
  <>
    <button
      type="button"
      class="plain"
      aria-haspopup="dialog"
      aria-label="Switch project"
      title="Switch project"
      onClick={() => openPalette('projects')}
    >
      <Icon name="choose" />
    </button>
    <button
      type="button"
      class="find"
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      title="Find a task, a project or an action: Ctrl+K or ⌘K"
      onClick={() => openPalette('all')}
    >
      <Icon name="search" /> Find
    </button>
  </>
);
