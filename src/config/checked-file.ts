import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

/** Reads a settings file by its JSON schema. `must` beside a part of the schema says in words what the value must be.
 *  @returns what throws an Error of one line that names the first wrong place */
export function checkerOf<T>(schema: object): (file: unknown) => T {
  let compiled: ValidateFunction<T> | undefined; // compiled on first use: most servers have no such file
  // `verbose` shows each error its part of the schema, and with it what the value must be
  const compile = () => new Ajv({ verbose: true, strictTypes: false, keywords: ['must'] }).compile<T>(schema);
  return (file) => {
    const validate = (compiled ??= compile());
    if (validate(file)) return file;
    const [error] = validate.errors ?? [];
    throw new Error(error ? describe(error) : 'is invalid');
  };
}

interface Part {
  must?: string;
  properties?: Record<string, Part>;
  enum?: unknown[];
}

function describe({ keyword, instancePath, propertyName, params, parentSchema }: ErrorObject): string {
  const part = (parentSchema ?? {}) as Part;
  const known = part.properties ?? {};
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
  const at = placeOf(instancePath, missingProperty ?? additionalProperty ?? propertyName);
  if (keyword === 'additionalProperties') return `${at} is not known; known are ${Object.keys(known).join(', ')}`;
  return `${at} ${demandOf((missingProperty !== undefined && known[missingProperty]) || part)}`.trim();
}

const demandOf = ({ must, enum: choices }: Part): string => must ?? `must be one of ${(choices ?? []).join(', ')}`;

/** `/executors/0/id` → `executors[0].id`. */
function placeOf(pointer: string, property?: string): string {
  const keys = [...pointer.split('/').slice(1), ...(property === undefined ? [] : [property])];
  return keys.reduce((at, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    if (/^\d+$/.test(name)) return `${at}[${name}]`;
    return at === '' ? name : `${at}.${name}`;
  }, '');
}
