import { AppError } from '../platform/errors/app-error.js';
import type { ExecutorInfo } from './executor.js';

const DEFAULT = 'DEFAULT';

/** Names to choose from: none means DEFAULT. */
export const namedVariants = (variants: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(variants).filter((name) => name !== DEFAULT);

/** The settings of a variant. A name that is gone is refused: the default may allow more than was chosen.
 *  @throws AppError variant_unknown */
export function variantSettings<Settings>(
  executor: ExecutorInfo['executor'],
  variants: Readonly<Record<string, Settings>>,
  name: string | null,
): Settings {
  const settings = Object.hasOwn(variants, name ?? DEFAULT) ? variants[name ?? DEFAULT] : undefined;
  if (settings === undefined)
    throw new AppError('variant_unknown', { executor, variant: name, known: namedVariants(variants) });
  return settings;
}
