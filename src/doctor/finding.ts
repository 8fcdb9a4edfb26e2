/** Result of one check. */
export interface Finding {
  about: string;
  state: 'ok' | 'warning' | 'fault';
  /** Never holds a secret: addresses without their credentials, names instead of values. */
  what: string;
  /** What to do; null if all is well. */
  mend: string | null;
}

export const ok = (about: string, what: string): Finding => ({ about, state: 'ok', what, mend: null });
export const warning = (about: string, what: string, mend: string): Finding => ({
  about,
  state: 'warning',
  what,
  mend,
});
export const fault = (about: string, what: string, mend: string): Finding => ({ about, state: 'fault', what, mend });

/** A check that throws or hangs is a finding too, and does not stop the others. */
export async function look(about: string, mend: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not answer')), LOOK_WITHIN_MS);
  });
  try {
    return await Promise.race([check(), tooLong]);
  } catch (error) {
    return [fault(about, reasonOf(error), mend)];
  } finally {
    clearTimeout(timer);
  }
}

const LOOK_WITHIN_MS = 30_000;

/** One line. Several addresses of one host fail as one error without a text, and fetch hides its reason. */
export function reasonOf(error: unknown): string {
  const { message, errors, code, cause } = error as Error & { errors?: Error[]; code?: string };
  const inner = cause instanceof Error ? reasonOf(cause) : '';
  const said = message === 'fetch failed' && inner ? inner : message || errors?.[0]?.message || code || 'it fails';
  return withoutCredentials(said.replace(/\s+/g, ' '));
}

const withoutCredentials = (text: string): string => text.replace(/(\w+:\/\/)[^\s/@]+@/g, '$1');

/** For people, each fix below its finding. */
export function report(findings: readonly Finding[]): string {
  const words = { ok: 'ok     ', warning: 'WARNING', fault: 'FAULT  ' };
  const lines = findings.map(
    ({ about, state, what, mend }) => `${words[state]} ${about}: ${what}${mend === null ? '' : `\n        → ${mend}`}`,
  );
  const counted = (state: Finding['state']): string => {
    const count = findings.filter((finding) => finding.state === state).length;
    return `${count} ${state}${count === 1 ? '' : 's'}`;
  };
  return [...lines, '', `${counted('fault')}, ${counted('warning')}`].join('\n');
}
