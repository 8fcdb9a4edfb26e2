import type { Command } from 'commander';
import { print } from './output.js';

type Shell = 'bash' | 'zsh' | 'fish';

/** Prints a script for the shell that knows the commands and their options. */
export function complete(program: Command, shell: Shell): void {
  const commands = program.createHelp().visibleCommands(program);
  print(scripts[shell](commands).join('\n'));
}

/** Options, and what an argument may be; files are completed where none of them begins like the word. */
const wordsOf = ({ options, registeredArguments }: Command): string[] => [
  ...options.flatMap(({ long }) => long ?? []),
  ...registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
];
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const scripts: Record<Shell, (commands: readonly Command[]) => string[]> = {
  bash: (commands) => [
    '_taskyard() {',
    '  local word="${COMP_WORDS[COMP_CWORD]}" words',
    '  case "${COMP_WORDS[1]}" in',
    ...commands.map((command) => `    ${command.name()}) words=${quoted(wordsOf(command).join(' '))} ;;`),
    `    *) words=${quoted(commands.map((command) => command.name()).join(' '))} ;;`,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _taskyard taskyard',
  ],
  // called by the script itself where it lies in $fpath, and is first run to complete a word
  zsh: (commands) => [
    '#compdef taskyard',
    '_taskyard() {',
    '  if (( CURRENT == 2 )); then',
    `    local -a commands=(${commands.map((one) => quoted(`${one.name()}:${one.description()}`)).join(' ')})`,
    '    _describe command commands',
    '    return',
    '  fi',
    '  local -a known',
    '  case "$words[2]" in',
    ...commands.map((command) => `    ${command.name()}) known=(${wordsOf(command).join(' ')}) ;;`),
    '  esac',
    '  compadd -a known || _files',
    '}',
    'if [[ "$funcstack[1]" == _taskyard ]]; then _taskyard "$@"; else compdef _taskyard taskyard; fi',
  ],
  fish: (commands) => commands.flatMap(linesForFish),
};

function linesForFish(command: Command): string[] {
  const name = command.name();
  const line = `complete -c taskyard -n '__fish_seen_subcommand_from ${name}'`;
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return [
    `complete -c taskyard -n __fish_use_subcommand -f -a ${name} -d ${quoted(command.description())}`,
    ...(choices.length > 0 ? [`${line} -f -a ${quoted(choices.join(' '))}`] : []),
    ...command.options.flatMap(({ long, required, description }) =>
      long ? [`${line} -l ${long.slice(2)}${required ? ' -r' : ''} -d ${quoted(description)}`] : [],
    ),
  ];
}
