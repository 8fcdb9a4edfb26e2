import 'reflect-metadata';

export type Class<T = object> = abstract new (...args: never[]) => T;
export type FieldKind = 'uuid' | 'text' | 'enum' | 'int' | 'number' | 'bool' | 'time' | 'list' | 'object' | 'record';

/** What one field decorator says of one property; everything published or checked is derived from it. */
export interface FieldNode {
  kind: FieldKind;
  description: string;
  optional: boolean;
  nullable: boolean;
  values?: readonly string[];
  minimum?: number;
  /** Only where more means nothing; what is merely too much is capped instead. */
  maximum?: number;
  /** Only for text whose length is part of its format; published. Any other text may have MAX_TEXT characters. */
  maxLength?: number;
  nonBlank?: boolean;
  /** An empty string counts as absent. */
  blankIsAbsent?: boolean;
  /** null clears the field instead of counting as absent. */
  nullClears?: boolean;
  default?: unknown;
  example?: unknown;
  /** Class of an object or of the items of a list; lists of texts use `itemNode`. */
  of?: () => Class;
  itemNode?: FieldNode;
  minItems?: number;
  /** Turns a tolerated spelling into the canonical one before validation. */
  normalise?: (value: unknown) => unknown;
  /** Wrong values that mean another operation: value → hint template. */
  redirects?: Record<string, string>;
  /** Its property in the OpenAPI document, as `ApiProperty` takes it. */
  shown?: Record<string, unknown>;
}

const FIELDS = Symbol('taskyard:fields');

export function addField(target: object, property: string, node: FieldNode): void {
  if (!node.description.trim()) throw new Error(`${target.constructor.name}.${property} has no description`);
  const own =
    (Reflect.getOwnMetadata(FIELDS, target) as Map<string, FieldNode> | undefined) ?? new Map<string, FieldNode>();
  own.set(property, node);
  Reflect.defineMetadata(FIELDS, own, target);
}

const known = new WeakMap<Class, ReadonlyMap<string, FieldNode>>();

/** Fields of a class and its parents, parents first, in the order of declaration. Asked on every call, gathered
 *  once. */
export function fieldsOf(type: Class): ReadonlyMap<string, FieldNode> {
  const fields = known.get(type) ?? gather(type);
  known.set(type, fields);
  return fields;
}

function gather(type: Class): ReadonlyMap<string, FieldNode> {
  const chain: object[] = [];
  for (
    let proto = type.prototype as object | null;
    proto && proto !== Object.prototype;
    proto = Object.getPrototypeOf(proto) as object | null
  )
    chain.unshift(proto);
  return new Map(
    chain.flatMap((proto) => [
      ...((Reflect.getOwnMetadata(FIELDS, proto) as Map<string, FieldNode> | undefined) ?? []),
    ]),
  );
}

/** The fields of a class, taken from what has them and more. */
export const pick = <T extends object>(type: Class<T>, from: T): T =>
  Object.fromEntries([...fieldsOf(type).keys()].map((name) => [name, from[name as keyof T]])) as T;
