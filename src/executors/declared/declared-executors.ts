import { isObject, type Json } from '../agent/json.js';

/** An agent somebody added without code. */
export interface DeclaredExecutor {
  id: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  protocol: 'acp' | 'plain';
  variants: Readonly<
    Record<
      string,
      {
        args: readonly string[];
        env: Readonly<Record<string, string>>;
        mode?: string;
        permissions?: 'allow' | 'ask' | 'refuse';
      }
    >
  >;
  resume: boolean;
  mcp: boolean;
}

const ID = /^[A-Z][A-Z0-9_]{0,63}$/;
const FIELDS = ['id', 'command', 'args', 'env', 'protocol', 'variants', 'resume', 'mcp'];
const VARIANT_FIELDS = ['args', 'env', 'mode', 'permissions'];

/** The content of executors.json: `{"executors": [{"id", "command", "args", "env", "protocol", "variants", "resume", "mcp"}]}`.
 *  @param taken ids of the executors that are built in
 *  @throws Error of one line that names the place */
export function declaredExecutors(file: unknown, taken: readonly string[] = []): DeclaredExecutor[] {
  const all = isObject(file) ? file.executors : undefined;
  if (!Array.isArray(all)) throw bad('executors', 'must be a list');
  const declared = all.map((one, index) => executor(one, `executors[${index}]`));
  const ids = [...taken, ...declared.map(({ id }) => id)];
  declared.forEach(({ id }, index) => {
    if (ids.indexOf(id) !== taken.length + index) throw bad(`executors[${index}].id`, `${id} is there already`);
  });
  return declared;
}

function executor(one: unknown, at: string): DeclaredExecutor {
  if (!isObject(one)) throw bad(at, 'must be an object');
  onlyKnown(one, FIELDS, at);
  const protocol = choice(one.protocol, ['acp', 'plain'], `${at}.protocol`);
  if (typeof one.id !== 'string' || !ID.test(one.id)) throw bad(`${at}.id`, 'must be in capitals, such as MY_AGENT');
  if (typeof one.command !== 'string' || one.command.trim() === '') throw bad(`${at}.command`, 'must name a program');
  const declared: DeclaredExecutor = {
    id: one.id,
    command: one.command,
    args: texts(one.args, `${at}.args`),
    env: pairs(one.env, `${at}.env`),
    protocol,
    variants: variants(one.variants, `${at}.variants`),
    resume: yesOrNo(one.resume, protocol === 'acp', `${at}.resume`),
    mcp: yesOrNo(one.mcp, protocol === 'acp', `${at}.mcp`),
  };
  if (protocol === 'plain') refuseForPlain(declared, at);
  return declared;
}

/** Nothing is known of what it says: it is no more than a command. */
function refuseForPlain({ resume, mcp, variants: named }: DeclaredExecutor, at: string): void {
  if (resume) throw bad(`${at}.resume`, 'needs the protocol acp');
  if (mcp) throw bad(`${at}.mcp`, 'needs the protocol acp');
  const [name] =
    Object.entries(named).find(([, { mode, permissions }]) => mode !== undefined || permissions !== undefined) ?? [];
  if (name !== undefined) throw bad(`${at}.variants.${name}`, 'mode and permissions need the protocol acp');
}

function variants(value: unknown, at: string): DeclaredExecutor['variants'] {
  if (value === undefined) return {};
  if (!isObject(value)) throw bad(at, 'must be an object of variants by name');
  return Object.fromEntries(
    Object.entries(value).map(([name, settings]) => {
      const place = `${at}.${name}`;
      if (!ID.test(name)) throw bad(place, 'must be named in capitals, such as PLAN');
      if (!isObject(settings)) throw bad(place, 'must be an object');
      onlyKnown(settings, VARIANT_FIELDS, place);
      const { mode } = settings;
      if (mode !== undefined && typeof mode !== 'string') throw bad(`${place}.mode`, 'must be a text');
      const permissions =
        settings.permissions === undefined
          ? undefined
          : choice(settings.permissions, ['allow', 'ask', 'refuse'], `${place}.permissions`);
      return [
        name,
        {
          args: texts(settings.args, `${place}.args`),
          env: pairs(settings.env, `${place}.env`),
          ...(mode !== undefined && { mode }),
          ...(permissions && { permissions }),
        },
      ];
    }),
  );
}

function onlyKnown(value: Json, known: readonly string[], at: string): void {
  const other = Object.keys(value).find((name) => !known.includes(name));
  if (other !== undefined) throw bad(`${at}.${other}`, `is not known; known are ${known.join(', ')}`);
}

function choice<T extends string>(value: unknown, choices: readonly T[], at: string): T {
  const chosen = choices.find((one) => one === value);
  if (chosen === undefined) throw bad(at, `must be one of ${choices.join(', ')}`);
  return chosen;
}

function texts(value: unknown, at: string): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) throw bad(at, 'must be a list of texts');
  return value;
}

function pairs(value: unknown, at: string): Record<string, string> {
  if (value === undefined) return {};
  if (!isObject(value) || !Object.values(value).every((one) => typeof one === 'string'))
    throw bad(at, 'must be an object of texts');
  return value as Record<string, string>;
}

function yesOrNo(value: unknown, otherwise: boolean, at: string): boolean {
  if (value !== undefined && typeof value !== 'boolean') throw bad(at, 'must be true or false');
  return value ?? otherwise;
}

const bad = (place: string, what: string): Error => new Error(`executors.json: ${place} ${what}`);
