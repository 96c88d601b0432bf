import { z } from 'zod';
import { composition, compositionList } from '../../core/api/composition';
import { historyBody, historyFigures, historySession, historySessionList } from '../../core/api/history';
import {
  contextList,
  errorBody,
  eventList,
  projectList,
  sessionList,
  turnList,
} from '../../core/api/responses';
import { series, seriesPoint } from '../../core/api/series';
import { context, event, session, turnRow } from '../../core/api/session';
import { isRepeatable } from './read-parameters';
import { type RouteEntry, routes } from './routes';

type Json = Record<string, unknown>;

/** Names of the shapes in the document. */
const SHAPES = {
  Session: session,
  Context: context,
  Composition: composition,
  Turn: turnRow,
  Event: event,
  Series: series,
  SeriesPoint: seriesPoint,
  SessionList: sessionList,
  ContextList: contextList,
  CompositionList: compositionList,
  TurnList: turnList,
  EventList: eventList,
  ProjectList: projectList,
  History: historyBody,
  HistoryFigures: historyFigures,
  HistorySession: historySession,
  HistorySessionList: historySessionList,
  Error: errorBody,
} as const;

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/**
 * The OpenAPI 3.1 document of the read API, from the same shapes that requests are read with.
 * @param version of the software
 */
export function buildOpenApi(version: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Barograph read API',
      version,
      description:
        'Context pressure of agent sessions, as stored. Token counts are whole numbers of tokens, times are ' +
        'ISO 8601 in UTC, shares are parts of 1. `null` means unknown and never zero.',
    },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
    paths: {
      ...Object.fromEntries(routes.map((route) => [route.path, { get: operation(route) }])),
      '/openapi.json': {
        get: {
          operationId: 'getOpenApi',
          summary: 'This document',
          responses: { 200: { description: 'OK', content: { 'application/json': { schema: {} } } } },
        },
      },
    },
    components: {
      schemas: shapeSchemas(),
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of scope `read`. Pages of this server need none.',
        },
      },
    },
  };
}

function shapeSchemas(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, shape] of Object.entries(SHAPES)) registry.add(shape, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const { $schema: _dialect, $id: _id, ...rest } = schema as Json;
      return [name, rest];
    }),
  );
}

function operation(route: RouteEntry): Json {
  const name = Object.entries(SHAPES).find(([, shape]) => shape === route.response)?.[0];
  if (name === undefined) throw new Error(`the answer of ${route.path} has no name in the document`);
  const isAboutOne = route.path.includes('{id}');
  const failure = (description: string) => ({
    description,
    content: { 'application/json': { schema: reference('Error') } },
  });
  return {
    operationId: route.operation,
    summary: route.summary,
    parameters: [...(isAboutOne ? [ID_PARAMETER] : []), ...queryParameters(route.parameters)],
    responses: {
      200: {
        description: 'OK',
        content: {
          'application/json': { schema: reference(name) },
          ...('format' in route.parameters.shape && { 'text/csv': { schema: { type: 'string' } } }),
        },
      },
      304: { description: 'Not changed since the ETag that was sent' },
      ...(isAboutOne && { 308: { description: 'The session lives on under another id: see Location' } }),
      400: failure('A parameter is unknown or not valid'),
      401: failure('No token, or one that is unknown or was revoked'),
      403: failure('The token lacks the scope'),
      ...(isAboutOne && { 404: failure('There is no such session') }),
    },
  };
}

const ID_PARAMETER = {
  name: 'id',
  in: 'path',
  required: true,
  description: "The session's public id",
  schema: { type: 'string', format: 'uuid' },
};

function queryParameters(shape: z.ZodObject): Json[] {
  const schema = z.toJSONSchema(shape, { io: 'input' }) as { properties?: Record<string, Json> };
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const repeatable = isRepeatable(shape.shape[name]);
    const { description, ...rest } = property;
    return {
      name,
      in: 'query',
      description,
      schema: rest,
      ...(repeatable && { style: 'form', explode: true }),
    };
  });
}
