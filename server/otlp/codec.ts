/** Encodes and decodes OTLP messages by the official definitions, as Protobuf or JSON. */
import {
  create,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue,
  type MessageShape,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { limitBinary, limitJson } from './limits';
import { StatusSchema } from './proto/status_pb';

export type Encoding = 'application/x-protobuf' | 'application/json';

/** Null: OTLP has no such encoding. */
export function encodingOf(contentType: string | undefined): Encoding | null {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/x-protobuf' || type === 'application/json' ? type : null;
}

/** @throws TooManyMessages, or an error that names the invalid message or field */
export function decode<Desc extends DescMessage>(
  schema: Desc,
  body: Buffer,
  encoding: Encoding,
): MessageShape<Desc> {
  if (encoding === 'application/x-protobuf') {
    limitBinary(schema, body);
    return fromBinary(schema, body, { readUnknownFields: false });
  }
  limitJson(body);
  return fromJson(schema, parseJson(body), { ignoreUnknownFields: true });
}

/** @throws Error if the body is not JSON in UTF-8 */
export function parseJson(body: Buffer): JsonValue {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
}

export function encode<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  encoding: Encoding,
): Buffer {
  if (encoding === 'application/x-protobuf') return Buffer.from(toBinary(schema, message));
  return Buffer.from(JSON.stringify(toJson(schema, message)));
}

/** The body of an answer of 400 and above. */
export function encodeError(message: string, encoding: Encoding): Buffer {
  return encode(StatusSchema, create(StatusSchema, { message }), encoding);
}

/** OTLP's JSON has ids as hexadecimal digits. The decoder reads these digits as base64, because the type is bytes. */
export function idText(id: Uint8Array, encoding: Encoding): string {
  const text = Buffer.from(id)
    .toString(encoding === 'application/json' ? 'base64' : 'hex')
    .toLowerCase();
  return /^0*$/.test(text) ? '' : text;
}
