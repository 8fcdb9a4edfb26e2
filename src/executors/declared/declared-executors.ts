import { readFileSync } from 'node:fs';
import { EnvironmentError } from '../../config/environment.js';
import { checkedDeclarations, type ExecutorDeclaration, type VariantDeclaration } from './executors-schema.js';

/** An agent somebody added without code; what the file leaves out is filled in. DEFAULT is one of its variants. */
export interface DeclaredExecutor extends Required<ExecutorDeclaration> {
  variants: Record<string, DeclaredVariant>;
}
type DeclaredVariant = VariantDeclaration & Required<Pick<VariantDeclaration, 'args' | 'env'>>;

/** How to install what EXECUTORS_FILE declares. */
export const DECLARED_IN = 'see executors.json';

/** The agents of EXECUTORS_FILE; none where it is not set.
 *  @throws EnvironmentError of one line, which stops the start */
export function readDeclaredExecutors(file: string, taken: readonly string[]): DeclaredExecutor[] {
  if (file === '') return [];
  try {
    return declaredExecutors(JSON.parse(readFileSync(file, 'utf8')), taken);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EnvironmentError(`EXECUTORS_FILE="${file}" cannot be used: ${reason}`);
  }
}

/** @param file the content of executors.json: `{"executors": [{"id", "command", "protocol", …}]}`
 *  @param taken ids of the executors that are built in
 *  @throws Error of one line that names the place */
export function declaredExecutors(file: unknown, taken: readonly string[] = []): DeclaredExecutor[] {
  try {
    const declared = checkedDeclarations(file).map(completed);
    refuseTwins(declared, taken);
    return declared;
  } catch (error) {
    throw new Error(`executors.json: ${(error as Error).message}`);
  }
}

function completed({
  protocol,
  args,
  env,
  variants,
  resume,
  mcp,
  state,
  ...rest
}: ExecutorDeclaration): DeclaredExecutor {
  const settings = Object.entries(variants ?? {}).map(([name, one]) => [name, { args: [], env: {}, ...one }] as const);
  return {
    ...rest,
    protocol,
    args: args ?? [],
    env: env ?? {},
    variants: { DEFAULT: { args: [], env: {} }, ...Object.fromEntries(settings) },
    resume: resume ?? protocol === 'acp',
    mcp: mcp ?? protocol === 'acp',
    state: (state ?? []).map((folder) => (folder.endsWith('/') ? folder : `${folder}/`)),
  };
}

function refuseTwins(declared: readonly DeclaredExecutor[], taken: readonly string[]): void {
  const seen = new Set(taken);
  declared.forEach(({ id }, index) => {
    if (seen.has(id)) throw new Error(`executors[${index}].id ${id} is there already`);
    seen.add(id);
  });
}
