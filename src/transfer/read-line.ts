import { AppError } from '../platform/errors/app-error.js';
import type { Class } from '../platform/fields/field-node.js';
import { InputParser } from '../platform/fields/input-parser.js';
import { isRecord } from '../platform/fields/normalise.js';
import { EndLine, HeaderLine } from './frame-lines.dto.js';
import { AttemptLine, CommentLine, SessionLine, TurnLine } from './history-lines.dto.js';
import { ProjectLine, RepositoryLine, TaskLine, ThoughtLine } from './record-lines.dto.js';

const classes = {
  header: HeaderLine,
  project: ProjectLine,
  repository: RepositoryLine,
  task: TaskLine,
  thought: ThoughtLine,
  attempt: AttemptLine,
  session: SessionLine,
  turn: TurnLine,
  comment: CommentLine,
  end: EndLine,
} as const;
type Kind = keyof typeof classes;
export type LineOf<K extends Kind> = InstanceType<(typeof classes)[K]>;
export type AnyLine = { [K in Kind]: LineOf<K> }[Kind];

const kinds = Object.keys(classes) as Kind[];

/** One line of an export, checked field by field. @throws LineError that says what is wrong with it */
export function readLine(text: string): AnyLine {
  const given = parsed(text);
  if (!isRecord(given)) throw new LineError('is no JSON object');
  const kind = given.kind as Kind;
  if (!kinds.includes(kind)) throw new LineError(`: kind must be one of ${kinds.join(', ')}`);
  try {
    const type: Class<AnyLine> = classes[kind];
    return InputParser.of(type).parse(given);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { summary } = error.details;
    throw new LineError(`(${kind}): ${typeof summary === 'string' ? summary : error.message}`);
  }
}

/** What is wrong with a line, to be read behind its number. */
export class LineError extends Error {}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LineError('is no JSON');
  }
}
