import { readFileSync } from 'node:fs';
import { EnvironmentError } from '../../config/environment.js';
import { type DeclaredExecutor, declaredExecutors } from './declared-executors.js';

/** The agents of EXECUTORS_FILE; none where it is not set. @throws EnvironmentError of one line, which stops the start */
export function readDeclaredExecutors(file: string, taken: readonly string[]): DeclaredExecutor[] {
  if (file === '') return [];
  try {
    return declaredExecutors(JSON.parse(readFileSync(file, 'utf8')), taken);
  } catch (error) {
    throw new EnvironmentError(`EXECUTORS_FILE="${file}" cannot be used: ${(error as Error).message}`);
  }
}
