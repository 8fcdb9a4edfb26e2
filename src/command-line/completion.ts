import type { Command } from 'commander';
import { print } from './output.js';

type Shell = 'bash' | 'zsh' | 'fish';

/** Prints a script for the shell that knows the commands and their options. */
export function complete(program: Command, shell: Shell): void {
  const commands = program.createHelp().visibleCommands(program);
  print(scripts[shell](commands).join('\n'));
}

const optionsOf = (command: Command): string[] => command.options.flatMap(({ long }) => long ?? []);
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const scripts: Record<Shell, (commands: readonly Command[]) => string[]> = {
  bash: (commands) => [
    '_taskyard() {',
    '  local word="${COMP_WORDS[COMP_CWORD]}" words',
    '  case "${COMP_WORDS[1]}" in',
    ...commands.map((command) => `    ${command.name()}) words=${quoted(optionsOf(command).join(' '))} ;;`),
    `    *) words=${quoted(commands.map((command) => command.name()).join(' '))} ;;`,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _taskyard taskyard',
  ],
  zsh: (commands) => [
    '#compdef taskyard',
    '_taskyard() {',
    '  if (( CURRENT == 2 )); then',
    `    local -a commands=(${commands.map((one) => quoted(`${one.name()}:${one.description()}`)).join(' ')})`,
    '    _describe command commands',
    '    return',
    '  fi',
    '  case "$words[2]" in',
    ...commands.map((command) => `    ${command.name()}) compadd -- ${optionsOf(command).join(' ')} ;;`),
    '  esac',
    '}',
    'compdef _taskyard taskyard',
  ],
  fish: (commands) => [
    'complete -c taskyard -f',
    ...commands.flatMap((command) => [
      `complete -c taskyard -n __fish_use_subcommand -a ${command.name()} -d ${quoted(command.description())}`,
      ...command.options.flatMap(({ long, description }) =>
        long
          ? [
              `complete -c taskyard -n '__fish_seen_subcommand_from ${command.name()}' -l ${long.slice(2)} ` +
                `-d ${quoted(description)}`,
            ]
          : [],
      ),
    ]),
  ],
};
