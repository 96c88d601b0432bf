/** Settings of projects, access tokens, and the context windows of models. */
import * as z from 'zod';
import { text } from '../../core/api/parameters';
import {
  accessToken,
  createdToken,
  deletedProject,
  limitList,
  newToken,
  projectSettings,
  projectSettingsChange,
  revokedToken,
  tokenList,
  tokenRotation,
} from '../../core/api/settings';
import { keptTranscripts, retentionParameters, retentionPreview } from '../../core/api/transcript-settings';
import { deleteProject, deleteRunner } from '../../db/delete-project';
import { listLimits } from '../../db/queries/list-limits';
import { changeProjectSettings, loadProjectSettings } from '../../db/queries/project-settings';
import {
  describeGrant,
  issueToken,
  type ListedToken,
  listTokens,
  revokeToken,
  rotateToken,
  TokenNameTakenError,
  toAccessToken,
} from '../../db/queries/tokens';
import { transact } from '../../db/transact';
import { previewRetention } from '../../db/transcripts/apply-retention';
import { recordAudit } from '../../db/transcripts/record-audit';
import { addRoute } from './add-route';
import { type ApiContext, ApiError, createApi, named, notFound } from './api';

named('AccessToken', accessToken);
named('KeptTranscripts', keptTranscripts);
const settingsOfProject = named('ProjectSettings', projectSettings);
const projectParams = z.object({ name: text(1_000).describe('Name of a project') });
const tokenParams = z.object({ id: z.string().describe('The id that the list shows') });
const noSuchToken = () => notFound('id', 'no active token has this id: it is unknown or was revoked before');
const oneCreated = named('CreatedToken', createdToken);
const DAY_MS = 86_400_000;
const noSuchProject = () => notFound('name', 'there is no project with this name');

export const settingsApi = createApi();

addRoute(settingsApi, 'GET /projects/{name}/settings', {
  operationId: 'getProjectSettings',
  summary: 'Settings of a project: its own values and the effective values',
  rights: ['read', 'admin'],
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

addRoute(settingsApi, 'DELETE /projects/{name}', {
  operationId: 'deleteProject',
  summary: 'Delete a project permanently, with its sessions, transcripts, alerts and settings',
  shape: named('DeletedProject', deletedProject),
  params: projectParams,
  answer: async (c, { params: { name } }) => {
    const sessions = await deleteProject(c.var.sql, name, c.var.actor);
    if (sessions === null) throw noSuchProject();
    return { deleted: name, sessions };
  },
});

addRoute(settingsApi, 'DELETE /projects/{name}/runners/{runner}', {
  operationId: 'deleteRunner',
  summary: 'Delete the sessions of a runner permanently, with its alerts, name and host',
  shape: named('DeletedRunner', deletedProject),
  params: projectParams.extend({ runner: z.string().describe('Name of a runner') }),
  answer: async (c, { params: { name, runner } }) => {
    const sessions = await deleteRunner(c.var.sql, name, runner, c.var.actor);
    if (sessions === null) throw notFound('runner', 'there is no runner with this name in the project');
    return { deleted: runner, sessions };
  },
});

addRoute(settingsApi, 'GET /projects/{name}/retention', {
  operationId: 'previewRetention',
  summary: 'Stored transcripts of a project, and what a retention would delete now. Nothing is deleted',
  rights: ['read', 'admin'],
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
  rights: ['read', 'admin'],
  shape: named('LimitList', limitList),
  answer: async (c) => listLimits(c.var.sql),
});

addRoute(settingsApi, 'GET /tokens', {
  ofServer: true,
  operationId: 'listTokens',
  summary: 'Active access tokens without their secrets, the oldest first',
  rights: ['admin'],
  shape: named('TokenList', tokenList),
  answer: async (c) => ({ tokens: (await listTokens(c.var.sql)).map(toAccessToken) }),
});

addRoute(settingsApi, 'POST /tokens', {
  ofServer: true,
  operationId: 'createToken',
  summary: 'Create an access token; its secret is shown only in this answer',
  body: named('NewToken', newToken),
  status: 201,
  shape: oneCreated,
  answer: async (c, { body: { expiresInDays, ...grant } }) => {
    const { sql, actor } = c.var;
    const expiresAt = expiresInDays === undefined ? null : new Date(Date.now() + expiresInDays * DAY_MS);
    const { secret, token } = await transact(sql, async (tx) => {
      await recordAudit(tx, { actor, action: 'token_created', detail: describeGrant(grant) });
      return issueToken(tx, { ...grant, expiresAt });
    }).catch((error: unknown) => {
      if (!(error instanceof TokenNameTakenError)) throw error;
      throw new ApiError(409, 'name_taken', 'name', 'is taken by an active token');
    });
    return { secret, token: toAccessToken(token) };
  },
});

addRoute(settingsApi, 'POST /tokens/{id}/rotate', {
  ofServer: true,
  operationId: 'rotateToken',
  summary:
    'Give a token a new secret, shown only in this answer; the former one stays valid for `overlapMinutes`',
  body: named('TokenRotation', tokenRotation),
  shape: oneCreated,
  params: tokenParams,
  answer: async (c, { params, body }) => {
    const { sql, actor } = c.var;
    const { id } = await requireToken(c, params.id);
    const rotated = await rotateToken(sql, { id, overlapMs: body.overlapMinutes * 60_000 }, actor);
    if (!rotated) throw noSuchToken();
    return { secret: rotated.secret, token: toAccessToken(rotated.token) };
  },
});

addRoute(settingsApi, 'DELETE /tokens/{id}', {
  ofServer: true,
  operationId: 'revokeToken',
  summary:
    'Revoke an access token permanently; every server refuses it and closes its sockets within a second',
  shape: named('RevokedToken', revokedToken),
  params: tokenParams,
  answer: async (c, { params }) => {
    const token = await requireToken(c, params.id);
    // If two operators revoke a token at the same time, only one succeeds.
    if (!(await revokeToken(c.var.sql, token, c.var.actor))) throw noSuchToken();
    return { revoked: toAccessToken(token) };
  },
});

async function requireToken(c: ApiContext, id: string): Promise<ListedToken> {
  const token = (await listTokens(c.var.sql)).find((listed) => String(listed.id) === id);
  if (!token) throw noSuchToken();
  return token;
}
