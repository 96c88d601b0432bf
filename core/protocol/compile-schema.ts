/**
 * Compiles a JSON Schema of the protocol into a reader, for server and runner. The schemas are generated from zod. The
 * reader gives zod's results in a fraction of its time and size: zod is nine tenths of a client's code.
 * `compile-schema.test.ts` checks that both agree. Only the keywords that these schemas use are known.
 */
import { exceeds } from './code-points';

export interface JsonSchema {
  type?: string;
  /** What a valid value is. It completes the sentence "must be …". */
  description?: string;
  const?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema;
  items?: JsonSchema | boolean;
  prefixItems?: JsonSchema[];
  minItems?: number;
  maxItems?: number;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
}

export class Fault {
  /** @param field path of the invalid field, as in `usage.input`; empty: the value itself */
  constructor(
    readonly field: string,
    readonly reason: string,
  ) {}

  within(place: string | number): Fault {
    return new Fault(this.field === '' ? String(place) : `${place}.${this.field}`, this.reason);
  }
}

/** Returns the value without unknown fields, or its first fault. */
export type Reader = (value: unknown) => unknown;

export function compileSchema(schema: JsonSchema): Reader {
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return readOption(options);
  if ('const' in schema) return readKnown([schema.const]);
  if (schema.enum) return readKnown(schema.enum);
  switch (schema.type) {
    case 'string':
      return readText(schema);
    case 'number':
    case 'integer':
      return readNumber(schema);
    case 'array':
      return readList(schema);
    case 'object':
      return schema.properties ? readObject(schema, schema.properties) : readRecord(schema);
    default:
      return readPlain(schema.type);
  }
}

const no = (what: string): Fault => new Fault('', `must be ${what}`);

function readPlain(type: string | undefined): Reader {
  if (type === 'null') return (value) => (value === null ? value : no('null'));
  if (type === 'boolean') return (value) => (typeof value === 'boolean' ? value : no('true or false'));
  throw new TypeError(`The protocol has no reader for ${type}.`);
}

function readKnown(values: readonly unknown[]): Reader {
  const known = new Set(values);
  const fault = no(values.map((value) => JSON.stringify(value)).join(' or '));
  return (value) => (known.has(value) ? value : fault);
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  array: 'a list',
  object: 'an object',
  boolean: 'true or false',
};

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

/** A value that fits no option gets the deepest fault of an option with its type, else the kinds of all options. */
function readOption(schemas: readonly JsonSchema[]): Reader {
  const options = schemas.map((schema) => ({
    type: schema.type === 'integer' ? 'number' : schema.type,
    read: compileSchema(schema),
  }));
  const kinds = schemas.map(({ description, type = '' }) => description ?? KINDS[type] ?? type);
  const other = no([...new Set(kinds)].join(' or '));
  return (value) => {
    let best: Fault | null = null;
    for (const { type, read } of options) {
      const result = read(value);
      if (!(result instanceof Fault)) return result;
      if (type === typeOf(value) && (best === null || best.field === '')) best = result;
    }
    return best ?? other;
  };
}

function readText({ minLength = 0, maxLength = Infinity, pattern, description }: JsonSchema): Reader {
  const expression = pattern === undefined ? null : new RegExp(pattern, 'u');
  const form = description
    ? no(description)
    : new Fault('', 'must not contain a NUL character or half of a surrogate pair');
  const short = new Fault(
    '',
    minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`,
  );
  const long = new Fault('', `must have at most ${maxLength} characters`);
  return (value) => {
    if (typeof value !== 'string') return no(description ?? 'a text');
    // Most texts need no call, because a code point has one or two units.
    if (value.length < 2 * minLength && !exceeds(value, minLength - 1)) return short;
    if (value.length > maxLength && exceeds(value, maxLength)) return long;
    return expression === null || expression.test(value) ? value : form;
  };
}

function readNumber(schema: JsonSchema): Reader {
  const { type, minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = schema;
  const isWhole = type === 'integer';
  const span = Number.isFinite(maximum) ? ` to ${maximum}` : ' up';
  const bounds = Number.isFinite(minimum)
    ? `from ${minimum}${span}`
    : `above ${exclusiveMinimum}, at most ${maximum}`;
  const fault = no(schema.description ?? `a ${isWhole ? 'whole ' : ''}number ${bounds}`);
  return (value) => {
    const isRight = isWhole ? Number.isSafeInteger(value) : Number.isFinite(value);
    if (!isRight) return fault;
    const number = value as number;
    return number >= minimum && number <= maximum && number > exclusiveMinimum ? value : fault;
  };
}

function readList({ items = {}, prefixItems, minItems = 0, maxItems = Infinity }: JsonSchema): Reader {
  const places = prefixItems?.map(compileSchema);
  const rest = places || typeof items === 'boolean' ? null : compileSchema(items);
  const [least, most] = places ? [places.length, places.length] : [minItems, maxItems];
  const short = least === 1 ? 'must not be empty' : `must have at least ${least} entries`;
  return (value) => {
    if (!Array.isArray(value)) return no('a list');
    if (value.length > most) return new Fault('', `must have at most ${most} entries`);
    if (value.length < least) return new Fault('', short);
    const list: unknown[] = [];
    for (let index = 0; index < value.length; index += 1) {
      const read = (places?.[index] ?? rest)?.(value[index]);
      if (read instanceof Fault) return read.within(index);
      list.push(read);
    }
    return list;
  };
}

function readObject({ required = [] }: JsonSchema, properties: Record<string, JsonSchema>): Reader {
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    read: compileSchema(schema),
    isOptional: !required.includes(name),
  }));
  return (value) => {
    if (!isRecord(value)) return no('an object');
    const object: Record<string, unknown> = {};
    for (const { name, read, isOptional } of fields) {
      const given = value[name];
      if (given === undefined && isOptional) continue;
      const field = read(given);
      if (field instanceof Fault) return field.within(name);
      object[name] = field;
    }
    return object;
  };
}

function readRecord({ additionalProperties = {} }: JsonSchema): Reader {
  const read = compileSchema(additionalProperties);
  return (value) => {
    if (!isRecord(value)) return no('an object');
    const entries = Object.entries(value).map(([name, field]) => [name, read(field)] as const);
    const wrong = entries.find(([, field]) => field instanceof Fault);
    return wrong ? (wrong[1] as Fault).within(wrong[0]) : Object.fromEntries(entries);
  };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
