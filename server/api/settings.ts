/** What operators set: projects, access tokens; and the context windows they are measured against. */
import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { noParameters } from '../../core/api/parameters';
import { keptTranscripts, retentionParameters, retentionPreview } from '../../core/api/retention';
import {
  type AccessToken,
  accessToken,
  createdToken,
  limitList,
  newToken,
  projectSettings,
  projectSettingsChange,
  revokedToken,
  tokenList,
} from '../../core/api/settings';
import { listLimits } from '../../db/queries/list-limits';
import { changeProjectSettings, loadProjectSettings } from '../../db/queries/project-settings';
import { issueToken, type ListedToken, listTokens, revokeToken } from '../../db/queries/tokens';
import { transact } from '../../db/transact';
import { previewRetention } from '../../db/transcripts/apply-retention';
import { recordAudit } from '../../db/transcripts/record-audit';
import {
  ApiError,
  allow,
  changeErrors,
  createApi,
  json,
  named,
  notFound,
  readErrors,
  readJson,
  requestBody,
} from './api';

named('AccessToken', accessToken);
named('KeptTranscripts', keptTranscripts);
const settingsOfProject = named('ProjectSettings', projectSettings);
const projectParams = z.object({ name: z.string().describe('Name of a project') });
const tokenParams = z.object({ id: z.string().describe('The id that the list shows') });
const noSuchProject = () => notFound('name', 'there is no project with this name');
const notKept = { 'Cache-Control': 'no-store' };

export const settingsApi = createApi();

settingsApi.openapi(
  createRoute({
    method: 'get',
    path: '/projects/{name}/settings',
    operationId: 'getProjectSettings',
    summary: 'Settings of a project: its own values, and the values in force',
    middleware: allow('read', 'admin'),
    request: { params: projectParams, query: noParameters },
    responses: { 200: json(settingsOfProject), ...readErrors },
  }),
  async (c) => {
    const settings = await loadProjectSettings(c.var.sql, c.req.valid('param').name);
    if (!settings) throw noSuchProject();
    return c.json(settings, 200);
  },
);

settingsApi.openapi(
  createRoute({
    method: 'patch',
    path: '/projects/{name}/settings',
    operationId: 'changeProjectSettings',
    summary: 'Change settings of a project; they apply from the next turn on',
    middleware: [allow('admin'), readJson] as const,
    request: { params: projectParams, ...requestBody(named('ProjectSettingsChange', projectSettingsChange)) },
    responses: { 200: json(settingsOfProject), ...changeErrors },
  }),
  async (c) => {
    const { sql, actor } = c.var;
    const result = await changeProjectSettings(sql, c.req.valid('param').name, c.req.valid('json'), actor);
    switch (result.type) {
      case 'changed':
        return c.json(result.settings, 200, notKept);
      case 'outdated': {
        const reason = 'these settings changed since they were read: read them again';
        throw new ApiError(409, 'changed_meanwhile', 'version', reason);
      }
      case 'invalid':
        throw new ApiError(400, 'invalid_body', `thresholds.${result.field}`, result.reason);
      case 'unknown':
        throw noSuchProject();
    }
  },
);

settingsApi.openapi(
  createRoute({
    method: 'get',
    path: '/projects/{name}/retention',
    operationId: 'previewRetention',
    summary: 'Stored transcripts of a project, and what a retention would delete now; nothing is deleted',
    middleware: allow('read', 'admin'),
    request: { params: projectParams, query: retentionParameters },
    responses: { 200: json(named('RetentionPreview', retentionPreview)), ...readErrors },
  }),
  async (c) => {
    const preview = await previewRetention(c.var.sql, c.req.valid('param').name, c.req.valid('query'));
    if (!preview) throw noSuchProject();
    return c.json(preview, 200);
  },
);

settingsApi.openapi(
  createRoute({
    method: 'get',
    path: '/limits',
    operationId: 'listLimits',
    summary: 'Context windows: the model table, and the limits that sessions were measured against last',
    middleware: allow('read', 'admin'),
    request: { query: noParameters },
    responses: { 200: json(named('LimitList', limitList)), ...readErrors },
  }),
  async (c) => c.json(await listLimits(c.var.sql), 200),
);

settingsApi.openapi(
  createRoute({
    method: 'get',
    path: '/tokens',
    operationId: 'listTokens',
    summary: 'Active access tokens without their secrets, the oldest first',
    middleware: allow('admin'),
    request: { query: noParameters },
    responses: { 200: json(named('TokenList', tokenList)), ...readErrors },
  }),
  async (c) => c.json({ tokens: (await listTokens(c.var.sql)).map(toAccessToken) }, 200),
);

settingsApi.openapi(
  createRoute({
    method: 'post',
    path: '/tokens',
    operationId: 'createToken',
    summary: 'Create an access token; its secret is shown only in this answer',
    middleware: [allow('admin'), readJson] as const,
    request: requestBody(named('NewToken', newToken)),
    responses: { 201: json(named('CreatedToken', createdToken)), ...changeErrors },
  }),
  async (c) => {
    const { sql, actor } = c.var;
    const body = c.req.valid('json');
    const { secret, token } = await transact(sql, async (tx) => {
      const detail = { name: body.name, scope: body.scope };
      await recordAudit(tx, { actor, action: 'token_created', detail });
      return issueToken(tx, body);
    });
    return c.json({ secret, token: toAccessToken(token) }, 201, notKept);
  },
);

settingsApi.openapi(
  createRoute({
    method: 'delete',
    path: '/tokens/{id}',
    operationId: 'revokeToken',
    summary: 'Revoke an access token permanently; every process refuses it within a minute',
    middleware: allow('admin'),
    request: { params: tokenParams },
    responses: { 200: json(named('RevokedToken', revokedToken)), ...changeErrors },
  }),
  async (c) => {
    const { sql, actor } = c.var;
    const { id } = c.req.valid('param');
    const token = (await listTokens(sql)).find((listed) => String(listed.id) === id);
    // Of two operators who revoke at once only one succeeds.
    if (!token || !(await revokeToken(sql, token, actor))) {
      throw notFound('id', 'no active token has this id: it is unknown or was revoked before');
    }
    return c.json({ revoked: toAccessToken(token) }, 200, notKept);
  },
);

function toAccessToken({ id, name, scope, createdAt, lastUsedAt }: ListedToken): AccessToken {
  return {
    id,
    name,
    scope,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
