import { parseArgs } from 'node:util';

const USAGE =
  'usage: taskyard mcp --stdio [--toolset ID] [--readonly] [--schema portable|oneof|flat] ' +
  '[--attempt-id UUID] [--project-id UUID] | taskyard cell';

/** Invalid arguments; the message is one line, the exit code 2. */
export class CommandLineError extends Error {
  constructor(problem: string) {
    super(`taskyard: ${problem}; ${USAGE}`);
  }
}

/** Options of a stdio client; `query` is that of the HTTP endpoint. */
export interface StdioChoice {
  toolset: string;
  query: Record<string, string>;
}

/** @throws CommandLineError */
export function parseCommandLine(args: string[]): StdioChoice {
  const { values, positionals } = parse(args);
  if (positionals.length !== 1 || positionals[0] !== 'mcp' || !values.stdio)
    throw new CommandLineError('expected the command "mcp --stdio"');
  const { toolset, readonly, schema, 'attempt-id': attempt_id, 'project-id': project_id } = values;
  return {
    toolset,
    query: {
      ...(readonly ? { readonly: 'true' } : {}),
      ...(schema === undefined ? {} : { schema }),
      ...(attempt_id === undefined ? {} : { attempt_id }),
      ...(project_id === undefined ? {} : { project_id }),
    },
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        stdio: { type: 'boolean' },
        toolset: { type: 'string', default: 'kanban' },
        readonly: { type: 'boolean' },
        schema: { type: 'string' },
        'attempt-id': { type: 'string' },
        'project-id': { type: 'string' },
      },
    });
  } catch (error) {
    throw new CommandLineError((error as Error).message.replace(/[.\n][^]*/, ''));
  }
}
