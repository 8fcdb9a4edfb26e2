import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { SERVER_INFO } from '../config/version.js';
import type { ChecksOptions } from './checking.js';
import type { DeliverOptions, MergeOptions, PullRequestOptions } from './delivering.js';
import type { ExportOptions } from './exporting.js';
import type { ImportOptions } from './sent-lines.js';
import type { LoginOptions } from './logging-in.js';
import type { ListOptions, LogOptions, ReadOptions, WatchedOptions } from './reading.js';
import type { RunOptions } from './run.js';
import { addServer } from './server-commands.js';
import type { CommonOptions } from './session.js';
import type { ApproveOptions, FollowUpOptions, StopOptions, TalkOptions } from './talking.js';

const ATTEMPT = new Argument('[attempt]', 'id; default: the latest of this folder');

/** The commands. What they do is loaded when one is called: to print the help takes no time. */
export function commandLine(): Command {
  const program = new Command('taskyard')
    .description('Hands work to coding agents, follows it and brings home what they made.')
    .version(SERVER_INFO.version)
    .showHelpAfterError('(taskyard --help lists the commands)')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      '\nExits: 0 done, 1 failed, 2 usage, 3 needs a person, 4 not signed in, 5 checks, ' + '130 interrupted.',
    );
  addWork(program);
  addTalk(program);
  addDelivery(program);
  addTransfer(program);
  addAccess(program);
  addServer(program);
  return program;
}

/** A command about an attempt, or about the project of a folder. */
function about(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('--server <url>', 'the server; default: TASKYARD_URL, the one logged in to, http://127.0.0.1:8000')
    .option('--project <project>', 'id, slug or name; default: that of the folder')
    .option('--json', 'print one JSON object a line');
}

const inFolder = new Option('--repo <folder>', 'folder whose project is meant').default('.');

const minutes = (text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It is a number of minutes.');
  return value;
};

/** Of an option that is given several times. */
const each = (text: string, before: string[] = []): string[] => [...before, text];

const watched = (command: Command): Command =>
  command
    .option('--max-minutes <minutes>', 'wait no longer; the run itself goes on', minutes)
    .option('--no-wait', 'end with 3 where the agent asks a person, instead of asking here');

function addWork(program: Command): void {
  watched(about(program, 'run', 'Hand over work: the first line is its title, the whole its prompt.'))
    .argument('<text>')
    .addOption(inFolder)
    .option('--executor <name>', 'who does it; default: the only agent of the server')
    .option('--variant <name>', 'its variant')
    .option('--watch', 'show the log until the end')
    .option('--request-id <id>', 'repeated with the same id, the command finds what it began')
    .option('--yes', 'make the project if there is none')
    .action(async (text: string, options: RunOptions) => (await import('./run.js')).run(text, options));
  about(program, 'list', 'List the newest tasks, with their latest attempts.')
    .addOption(inFolder)
    .option('--limit <count>', 'how many', Number)
    .option('--projects', 'list projects')
    .action(async (options: ListOptions) => (await import('./reading.js')).list(options));
  about(program, 'status', 'Show how an attempt stands.')
    .addArgument(ATTEMPT)
    .addOption(inFolder)
    .action(async (id: string | undefined, options: ReadOptions) => (await import('./reading.js')).status(id, options));
  watched(about(program, 'watch', 'Show the log of an attempt until it ends, with its result.'))
    .addArgument(ATTEMPT)
    .addOption(inFolder)
    .action(async (id: string | undefined, options: WatchedOptions) =>
      (await import('./reading.js')).watchAttempt(id, options),
    );
  about(program, 'log', 'Print the log of an attempt.')
    .addArgument(ATTEMPT)
    .addOption(inFolder)
    .option('-f, --follow', 'go on while it runs')
    .option('--raw', 'lines of output instead of messages')
    .action(async (id: string | undefined, options: LogOptions) => (await import('./reading.js')).log(id, options));
  about(program, 'diff', 'Print the whole diff; taskyard diff | git apply --3way brings it here.')
    .addArgument(ATTEMPT)
    .option('--repo <name>', 'repository, if the attempt has several')
    .action(async (id: string | undefined, options: ReadOptions) => (await import('./reading.js')).diff(id, options));
}

function addTalk(program: Command): void {
  about(program, 'follow-up', 'Send a message to the agent of an attempt.')
    .argument('<words...>', 'an attempt and the message, or the message alone; - reads it from standard input')
    .addOption(inFolder)
    .option('--queue', 'after what runs now')
    .option('--watch', 'show the log until the end')
    .action(async (words: string[], options: FollowUpOptions) =>
      (await import('./talking.js')).followUp(words, options),
    );
  about(program, 'approve', 'Approve what the agent asks.')
    .argument('[id]', 'an approval or an attempt; default: the latest attempt of this folder')
    .addOption(inFolder)
    .option('--deny [reason]', 'deny it')
    .action(async (id: string | undefined, options: ApproveOptions) =>
      (await import('./talking.js')).approve(id, options),
    );
  about(program, 'stop', 'Stop the run of an attempt.')
    .addArgument(ATTEMPT)
    .addOption(inFolder)
    .option('--force', 'kill it')
    .action(async (id: string | undefined, options: StopOptions) => (await import('./talking.js')).stop(id, options));
  about(program, 'open', 'Show an attempt in the browser.')
    .addArgument(ATTEMPT)
    .addOption(inFolder)
    .action(async (id: string | undefined, options: TalkOptions) => (await import('./talking.js')).open(id, options));
}

function addDelivery(program: Command): void {
  about(program, 'checks', 'Show what the server has checked; 5 where a required check is not passed.')
    .addArgument(ATTEMPT)
    .addOption(inFolder)
    .option('--run', 'have it checked now')
    .option('--watch', 'wait until the checks have ended')
    .action(async (id: string | undefined, options: ChecksOptions) =>
      (await import('./checking.js')).checks(id, options),
    );
  const delivery = (name: string, description: string): Command =>
    about(program, name, description)
      .addArgument(ATTEMPT)
      .addOption(inFolder)
      .option('--allow-failed', 'also the work of a failed run')
      .option('--override <reason>', 'in spite of the checks that are required');
  delivery('merge', 'Merge the work into its target branch.')
    .addOption(new Option('--strategy <strategy>').choices(['squash', 'merge', 'ff', 'rebase']))
    .option('--message <text>', 'of the commit')
    .option('--update-checkout', 'where the target branch is checked out, update that checkout, too')
    .option('--dry-run', 'only tell what a merge would do')
    .action(async (id: string | undefined, options: MergeOptions) =>
      (await import('./delivering.js')).merge(id, options),
    );
  delivery('push', 'Push the branch to its remote.').action(async (id: string | undefined, options: DeliverOptions) =>
    (await import('./delivering.js')).push(id, options),
  );
  delivery('pr', 'Open a pull request.')
    .option('--draft', 'as a draft')
    .option('--title <text>', 'default: that of the task')
    .action(async (id: string | undefined, options: PullRequestOptions) =>
      (await import('./delivering.js')).openPullRequest(id, options),
    );
}

function addTransfer(program: Command): void {
  about(program, 'import', 'Import an export, or what another system holds.')
    .argument('<source>', 'a file, - for standard input, or owner/name on GitHub')
    .addOption(new Option('--from <system>', 'what it is from').choices(['vibe-kanban', 'github']))
    .option('--map <old=new>', 'where a repository of Vibe Kanban lies now: a path or a URL', each)
    .option('--dry-run', 'only tell what an import would do')
    .addOption(inFolder)
    .action(async (source: string, options: ImportOptions) =>
      (await import('./importing.js')).importFrom(source, options),
    );
  about(program, 'export', 'Export a project, without logs and secrets.')
    .argument('[file]', 'default: standard output')
    .addOption(inFolder)
    .action(async (file: string | undefined, options: ExportOptions) =>
      (await import('./exporting.js')).exportProject(file, options),
    );
}

function addAccess(program: Command): void {
  const server = '--server <url>';
  program
    .command('login')
    .description('Sign in at a server: in the browser, by a code on another device, or with a token.')
    .option(server, 'default: TASKYARD_URL, the one logged in to, http://127.0.0.1:8000')
    .option('--with-token', 'read a token from standard input')
    .option('--no-browser', 'sign in on another device')
    .action(async (options: LoginOptions) => (await import('./logging-in.js')).login(options));
  program
    .command('logout')
    .description('Forget the token of a server.')
    .option(server)
    .action(async (options: CommonOptions) => (await import('./logging-in.js')).logout(options));
}
