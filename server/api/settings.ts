/** Settings of projects, access tokens, and the context windows of models. */
import * as z from 'zod';
import { text } from '../../core/api/parameters';
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
import { keptTranscripts, retentionParameters, retentionPreview } from '../../core/api/transcript-settings';
import { listLimits } from '../../db/queries/list-limits';
import { changeProjectSettings, loadProjectSettings } from '../../db/queries/project-settings';
import { issueToken, type ListedToken, listTokens, revokeToken } from '../../db/queries/tokens';
import { transact } from '../../db/transact';
import { previewRetention } from '../../db/transcripts/apply-retention';
import { recordAudit } from '../../db/transcripts/record-audit';
import { addRoute } from './add-route';
import { ApiError, createApi, named, notFound } from './api';

named('AccessToken', accessToken);
named('KeptTranscripts', keptTranscripts);
const settingsOfProject = named('ProjectSettings', projectSettings);
const projectParams = z.object({ name: text(1_000).describe('Name of a project') });
const tokenParams = z.object({ id: z.string().describe('The id that the list shows') });
const noSuchProject = () => notFound('name', 'there is no project with this name');

export const settingsApi = createApi();

addRoute(settingsApi, 'GET /projects/{name}/settings', {
  operationId: 'getProjectSettings',
  summary: 'Settings of a project: its own values and the effective values',
  scopes: ['read', 'admin'],
  shape: settingsOfProject,
  params: projectParams,
  answer: async (c, { params }) => {
    const settings = await loadProjectSettings(c.var.sql, params.name);
    if (!settings) throw noSuchProject();
    return settings;
  },
});

addRoute(settingsApi, 'PATCH /projects/{name}/settings', {
  operationId: 'changeProjectSettings',
  summary: 'Change settings of a project. Current states change at once, recorded events do not',
  body: named('ProjectSettingsChange', projectSettingsChange),
  shape: settingsOfProject,
  params: projectParams,
  answer: async (c, { params, body }) => {
    const { sql, actor } = c.var;
    const result = await changeProjectSettings(sql, params.name, body, actor);
    switch (result.type) {
      case 'changed':
        return result.settings;
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
});

addRoute(settingsApi, 'GET /projects/{name}/retention', {
  operationId: 'previewRetention',
  summary: 'Stored transcripts of a project, and what a retention would delete now. Nothing is deleted',
  scopes: ['read', 'admin'],
  query: retentionParameters,
  shape: named('RetentionPreview', retentionPreview),
  params: projectParams,
  answer: async (c, { params, query }) => {
    const preview = await previewRetention(c.var.sql, params.name, query);
    if (!preview) throw noSuchProject();
    return preview;
  },
});

addRoute(settingsApi, 'GET /limits', {
  operationId: 'listLimits',
  summary: 'Context windows: the model table, and the latest limits of sessions',
  scopes: ['read', 'admin'],
  shape: named('LimitList', limitList),
  answer: async (c) => listLimits(c.var.sql),
});

addRoute(settingsApi, 'GET /tokens', {
  operationId: 'listTokens',
  summary: 'Active access tokens without their secrets, the oldest first',
  scopes: ['admin'],
  shape: named('TokenList', tokenList),
  answer: async (c) => ({ tokens: (await listTokens(c.var.sql)).map(toAccessToken) }),
});

addRoute(settingsApi, 'POST /tokens', {
  operationId: 'createToken',
  summary: 'Create an access token; its secret is shown only in this answer',
  body: named('NewToken', newToken),
  status: 201,
  shape: named('CreatedToken', createdToken),
  answer: async (c, { body }) => {
    const { sql, actor } = c.var;
    const { secret, token } = await transact(sql, async (tx) => {
      await recordAudit(tx, { actor, action: 'token_created', detail: body });
      return issueToken(tx, body);
    });
    return { secret, token: toAccessToken(token) };
  },
});

addRoute(settingsApi, 'DELETE /tokens/{id}', {
  operationId: 'revokeToken',
  summary: 'Revoke an access token permanently; every process refuses it within a minute',
  shape: named('RevokedToken', revokedToken),
  params: tokenParams,
  answer: async (c, { params }) => {
    const { sql, actor } = c.var;
    const { id } = params;
    const token = (await listTokens(sql)).find((listed) => String(listed.id) === id);
    // If two operators revoke a token at the same time, only one succeeds.
    if (!token || !(await revokeToken(sql, token, actor))) {
      throw notFound('id', 'no active token has this id: it is unknown or was revoked before');
    }
    return { revoked: toAccessToken(token) };
  },
});

function toAccessToken({ createdAt, lastUsedAt, ...token }: ListedToken): AccessToken {
  return { ...token, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null };
}
