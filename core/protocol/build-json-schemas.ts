/** JSON Schemas (draft 2020-12) of the protocol, generated from the zod schemas that the server itself uses. */
import * as z from 'zod';
import { itemSchema } from './items';
import { PROTOCOL_LIMITS } from './limits';
import { hello, serverMessage } from './messages';

const options = { target: 'draft-2020-12', io: 'input' } as const;
const frame = z.union([
  hello,
  itemSchema,
  z.array(z.union([hello, itemSchema])).max(PROTOCOL_LIMITS.maxItemsPerFrame + 1),
]);
const body = z.tuple([hello], itemSchema);

/** File name → schema. The files are in core/protocol/schema and are shipped with the runner package. */
export function buildJsonSchemas(): Record<string, object> {
  return {
    'hello.schema.json': titled('The first message of a connection', hello),
    'item.schema.json': titled('One item: what a runner reports about a session', itemSchema),
    'frame.schema.json': titled('One WebSocket frame, runner to server', frame),
    'batch.schema.json': titled('The body of POST /v1/ingest', body),
    'server-message.schema.json': titled('A message of the server', serverMessage),
  };
}

function titled(title: string, schema: z.ZodType): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, options);
  return { $schema, title: `Barograph protocol v1: ${title}`, ...rest };
}
