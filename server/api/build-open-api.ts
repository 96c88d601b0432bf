import { z } from 'zod';
import { auditEntry, auditList } from '../../core/api/audit';
import { composition, compositionList } from '../../core/api/composition';
import { evidence } from '../../core/api/evidence';
import { figures } from '../../core/api/figures';
import { historyBody, historyFigures, historySession, historySessionList } from '../../core/api/history';
import { deletedNote, newNote, note, noteChange, noteConflict, noteList } from '../../core/api/notes';
import {
  contextList,
  errorBody,
  eventDetails,
  eventList,
  projectList,
  sessionList,
  turnList,
} from '../../core/api/responses';
import { keptTranscripts, retentionPreview } from '../../core/api/retention';
import { series, seriesPoint } from '../../core/api/series';
import { context, event, session, turnRow } from '../../core/api/session';
import {
  accessToken,
  createdToken,
  limitList,
  newToken,
  projectSettings,
  projectSettingsChange,
  revokedToken,
  tokenList,
} from '../../core/api/settings';
import { subAgentList } from '../../core/api/sub-agents';
import {
  transcriptBlock,
  transcriptEntry,
  transcriptMessages,
  transcriptOutline,
  transcriptSearch,
  transcriptSecret,
} from '../../core/api/transcript-contents';
import { transcriptLost } from '../../core/api/transcript-lost';
import {
  revealed,
  revealRequest,
  transcriptSecrets,
  transcriptSource,
} from '../../core/api/transcript-secrets';
import { transcriptDeletion, transcriptList, transcriptRow } from '../../core/api/transcripts';
import type { ChangeEntry } from './change-entry';
import { changeRoutes } from './change-routes';
import { isRepeatable } from './read-parameters';
import type { RouteEntry } from './route-entry';
import { routes } from './routes';

type Json = Record<string, unknown>;

/** Names of the shapes in the document. */
const SHAPES = {
  Session: session,
  Evidence: evidence,
  Context: context,
  Composition: composition,
  Turn: turnRow,
  Event: event,
  EventDetails: eventDetails,
  Note: note,
  NoteList: noteList,
  NewNote: newNote,
  NoteChange: noteChange,
  NoteConflict: noteConflict,
  DeletedNote: deletedNote,
  Figures: figures,
  Series: series,
  SeriesPoint: seriesPoint,
  SubAgentList: subAgentList,
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
  ProjectSettings: projectSettings,
  ProjectSettingsChange: projectSettingsChange,
  LimitList: limitList,
  AccessToken: accessToken,
  TokenList: tokenList,
  NewToken: newToken,
  CreatedToken: createdToken,
  RevokedToken: revokedToken,
  Transcript: transcriptRow,
  TranscriptList: transcriptList,
  TranscriptDeletion: transcriptDeletion,
  AuditEntry: auditEntry,
  AuditList: auditList,
  KeptTranscripts: keptTranscripts,
  RetentionPreview: retentionPreview,
  TranscriptSource: transcriptSource,
  TranscriptOutline: transcriptOutline,
  TranscriptMessages: transcriptMessages,
  TranscriptEntry: transcriptEntry,
  TranscriptBlock: transcriptBlock,
  TranscriptSearch: transcriptSearch,
  TranscriptLost: transcriptLost,
  TranscriptSecrets: transcriptSecrets,
  TranscriptSecret: transcriptSecret,
  RevealRequest: revealRequest,
  Revealed: revealed,
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
      ...paths(),
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
          description:
            'A token of scope `read`, or of scope `admin` where something is changed. Pages of this server need none.',
        },
      },
    },
  };
}

function paths(): Json {
  const all = new Map<string, Json>();
  for (const route of routes) all.set(route.path, { get: operation(route) });
  for (const entry of changeRoutes) {
    all.set(entry.path, { ...all.get(entry.path), [entry.method.toLowerCase()]: changeOperation(entry) });
  }
  return Object.fromEntries(all);
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
  const isAboutOne = route.path.startsWith('/sessions/{id}');
  const parameters = pathParameters(route.path);
  return {
    operationId: route.operation,
    summary: route.summary,
    parameters: [...parameters, ...queryParameters(route.parameters)],
    responses: {
      200: {
        description: 'OK',
        content: route.isBytes
          ? BYTES
          : {
              'application/json': { schema: reference(nameOf(route.response)) },
              ...('format' in route.parameters.shape && { 'text/csv': { schema: { type: 'string' } } }),
            },
      },
      ...(route.isBytes && {
        206: { description: 'The range that was asked for', content: BYTES },
        416: { description: 'The range begins behind the end' },
      }),
      304: { description: 'Not changed since the ETag that was sent' },
      ...(isAboutOne && { 308: { description: 'The session lives on under another id: see Location' } }),
      400: failure('A parameter is unknown or not valid'),
      401: failure('No token, or one that is unknown or was revoked'),
      403: failure('The token lacks the scope'),
      ...(parameters.length > 0 && {
        404: failure(`There is no such ${subjectOf(route.path)}`),
      }),
    },
  };
}

function changeOperation(entry: ChangeEntry): Json {
  return {
    operationId: entry.operation,
    summary: entry.summary,
    parameters: pathParameters(entry.path),
    ...(entry.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: reference(nameOf(entry.body)) } },
      },
    }),
    responses: {
      [entry.method === 'POST' ? 201 : 200]: {
        description: 'OK',
        content: { 'application/json': { schema: reference(nameOf(entry.response)) } },
      },
      400: failure('A field of the body is unknown or not valid'),
      401: failure('No token, or one that is unknown or was revoked'),
      403: failure('The token lacks the scope `admin`'),
      404: failure('There is nothing of this id or name'),
      409: {
        description: 'Somebody changed it since it was read',
        content: {
          'application/json': { schema: reference(entry.conflict ? nameOf(entry.conflict) : 'Error') },
        },
      },
    },
  };
}

function nameOf(shape: z.ZodType): string {
  const name = Object.entries(SHAPES).find(([, known]) => known === shape)?.[0];
  if (name === undefined) throw new Error('a shape of a route has no name in the document');
  return name;
}

const BYTES = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

function subjectOf(path: string): string {
  if (path.startsWith('/sessions/')) return 'session';
  if (path.startsWith('/events/')) return 'event';
  return path.startsWith('/transcripts/') ? 'transcript' : 'project';
}

const failure = (description: string): Json => ({
  description,
  content: { 'application/json': { schema: reference('Error') } },
});

function pathParameters(path: string): Json[] {
  if (path.includes('{name}')) return [NAME_PARAMETER];
  if (!path.includes('{id}')) return [];
  if (path.startsWith('/transcripts/')) return [TRANSCRIPT_PARAMETER];
  if (path.startsWith('/events/')) return [EVENT_PARAMETER];
  if (!path.startsWith('/sessions/')) return [ROW_PARAMETER];
  return path.includes('{note}') ? [ID_PARAMETER, NOTE_PARAMETER] : [ID_PARAMETER];
}

const NAME_PARAMETER = {
  name: 'name',
  in: 'path',
  required: true,
  description: 'Name of a project',
  schema: { type: 'string' },
};

const ROW_PARAMETER = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id that lists show',
  schema: { type: 'integer' },
};

const EVENT_PARAMETER = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of an event, as lists show it',
  schema: { type: 'string' },
};

const TRANSCRIPT_PARAMETER = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of a transcript',
  schema: { type: 'string', format: 'uuid' },
};

const ID_PARAMETER = {
  name: 'id',
  in: 'path',
  required: true,
  description: "The session's public id",
  schema: { type: 'string', format: 'uuid' },
};

const NOTE_PARAMETER = {
  name: 'note',
  in: 'path',
  required: true,
  description: 'Id of a note of the session',
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
