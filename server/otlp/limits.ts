/** Counts the messages of a body before they are decoded, because decoding too many messages would block the server. */
import type { DescMessage } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** Maximum number of records, including the messages that contain them. By default, collectors send 8 192 records. */
const MAX_RECORDS = 10_000;
/** Maximum number of attributes and other messages inside records. */
const MAX_PARTS = 200_000;
/** A request contains resources, a resource contains scopes, and a scope contains records. */
const RECORD_LEVEL = 3;
/** The decoder refuses messages below this level. */
const LAST_LEVEL = 100;

export class TooManyMessages extends Error {
  override readonly name = 'TooManyMessages';
}

/** @returns a function that counts one message. It throws TooManyMessages above a limit. */
function counter(): (level: number) => void {
  let records = 0;
  let parts = 0;
  return (level) => {
    if (level <= RECORD_LEVEL) records += 1;
    else parts += 1;
    if (records > MAX_RECORDS)
      throw new TooManyMessages(`A body may have at most ${MAX_RECORDS} records. Send smaller batches.`);
    if (parts > MAX_PARTS)
      throw new TooManyMessages(
        `A body may have at most ${MAX_PARTS} attributes and values. Send smaller batches.`,
      );
  };
}

/** @throws TooManyMessages, or another error if the body is not Protobuf */
export function limitBinary(schema: DescMessage, body: Buffer): void {
  const reader = new BinaryReader(body);
  const count = counter();
  const walk = (desc: DescMessage, end: number, level: number) => {
    while (reader.pos < end) {
      const [number, type] = reader.tag();
      const field = desc.fields.find((each) => each.number === number);
      if (type !== WireType.LengthDelimited || !field?.message) {
        reader.skip(type, number, LAST_LEVEL);
        continue;
      }
      count(level);
      const length = reader.uint32();
      if (level < LAST_LEVEL) walk(field.message, reader.pos + length, level + 1);
      else reader.pos += length;
    }
  };
  walk(schema, body.length, 1);
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [...Buffer.from('"\\{}')];

/** @throws TooManyMessages */
export function limitJson(body: Buffer): void {
  const count = counter();
  let level = 0;
  let isText = false;
  for (let i = 0; i < body.length; i += 1) {
    const byte = body[i];
    if (isText) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === CLOSE) level -= 1;
    else if (byte === OPEN) {
      if (level > 0) count(level);
      level += 1;
    }
  }
}
