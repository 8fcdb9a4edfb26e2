import { useId, useRef } from 'preact/hooks';
import { Icon, type IconName } from '../parts/icon.js';
import { useTheme } from './theme.js';

const THEMES: readonly [theme: string, words: string, icon: IconName][] = [
  ['auto', 'System theme', 'system'],
  ['light', 'Light', 'light'],
  ['dark', 'Dark', 'dark'],
];

export function ThemeMenu() {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const [theme, choose] = useTheme();
  const pick = (next: string) => {
    choose(next);
    menu.current?.hidePopover();
  };
  const [, , icon] = THEMES.find(([name]) => name === theme) ?? THEMES[0]!;
  return (
    <>
      <button type="button" class="plain" aria-label="Theme" title="Theme" popovertarget={id}>
        <Icon name={icon} />
      </button>
      <div id={id} ref={menu} popover="auto" class="menu" role="group" aria-label="Theme">
        {THEMES.map(([name, words, look]) => (
          <button key={name} type="button" class="plain" aria-pressed={name === theme} onClick={() => pick(name)}>
            <Icon name={look} /> {words}
          </button>
        ))}
      </div>
    </>
  );
}
