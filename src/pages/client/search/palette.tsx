import { useEffect, useRef } from 'preact/hooks';
import { Refusal } from '../parts/notice.js';
import { actionsIn, type Command, projectsCalled, tasksFor } from './commands.js';
import { useFound } from './use-found.js';

export interface CommandsProps {
  project_id: string;
  scope: 'all' | 'projects';
  typed: string;
  /** Steps from the first command, down or up. */
  at: number;
  isEntered: boolean;
  /** Id of the list; the chosen line is called after it. */
  list: string;
  close: () => void;
}

const GROUPS = ['Tasks', 'Projects', 'Actions'] as const;
const NOTHING: Command[] = [];

/** Tasks, projects and actions by what is typed. */
export function Commands({ project_id, scope, typed, at, isEntered, list, close }: CommandsProps) {
  const words = typed.trim();
  const found = useFound(`${project_id} ${words || '-'}`, NOTHING, async (signal) => {
    const projects = await projectsCalled(words, signal);
    return words && scope === 'all'
      ? [...(await tasksFor(words, project_id, projects, signal)), ...projects]
      : projects;
  });
  const all = [...found.data, ...(scope === 'all' ? actionsIn(project_id, words) : [])];
  const shown = GROUPS.map((group) => all.filter((command) => command.group === group));
  const commands = shown.flat();
  const chosen = commands.at(at % commands.length);
  const run = (command: Command | undefined) => {
    if (!command) return;
    close();
    command.run();
  };
  useEffect(() => {
    if (isEntered && !found.isAsking) run(chosen); // not before what is typed has been answered
  }, [isEntered, found.isAsking]);
  return (
    <>
      <Refusal error={found.error} />
      <div id={list} class="palette" role="listbox" aria-label="Commands" aria-busy={found.isAsking}>
        {shown.map((own) => (
          <Group key={own[0]?.group} {...{ own, chosen, list, run }} />
        ))}
      </div>
      <p class="visually-hidden" role="status">
        {commands.length} found
      </p>
    </>
  );
}

interface GroupProps {
  own: Command[];
  chosen: Command | undefined;
  list: string;
  run: (command: Command) => void;
}

function Group({ own, chosen, list, run }: GroupProps) {
  if (!own[0]) return null;
  return (
    <div role="group" aria-label={own[0].group}>
      <p aria-hidden="true">{own[0].group}</p>
      {own.map((command, place) => (
        <Line key={place} id={`${list}-chosen`} {...{ command, run }} isChosen={command === chosen} />
      ))}
    </div>
  );
}

interface LineProps extends Pick<GroupProps, 'run'> {
  id: string;
  command: Command;
  isChosen: boolean;
}

function Line({ id, command, isChosen, run }: LineProps) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    <div ref={line} id={isChosen ? id : undefined} role="option" aria-selected={isChosen} onClick={() => run(command)}>
      <span>{command.words}</span>
      {command.note && <span class="quiet">{command.note}</span>}
    </div>
  );
}
