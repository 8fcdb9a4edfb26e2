import type { ExecutorInfo } from './executor.js';

/** `claude-code` and `Claude_Code` mean CLAUDE_CODE. */
export const canonicalExecutor = (value: unknown): unknown =>
  typeof value === 'string' ? value.trim().toUpperCase().replace(/-/g, '_') : value;

/** DEFAULT counts as omitted: a start then takes the default of the executor, a follow-up keeps the variant of the
 *  session. */
export function canonicalVariant(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const variant = value.trim();
  return variant.toUpperCase() === 'DEFAULT' ? undefined : variant;
}

/** By which callers choose one: the default is among them. */
export const listedVariants = ({
  variants,
  default_variant,
}: Pick<ExecutorInfo, 'variants' | 'default_variant'>): string[] => [
  ...new Set([...(default_variant === null ? [] : [default_variant]), ...variants]),
];
