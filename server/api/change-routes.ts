/** What the API changes: one entry a method and path, from which requests are routed and documented. */
import {
  createdToken,
  newToken,
  projectSettings,
  projectSettingsChange,
  revokedToken,
} from '../../core/api/settings';
import { changeProjectSettings } from '../../db/queries/settings/change-project-settings';
import { issueToken } from '../../db/queries/tokens/create-token';
import { listTokens } from '../../db/queries/tokens/list-tokens';
import { revokeToken } from '../../db/queries/tokens/revoke-token';
import { transact } from '../../db/transact';
import { recordAct } from '../../db/transcripts/record-audit';
import { type ChangeAnswer, type ChangeEntry, change } from './change-entry';
import { noteChangeRoutes } from './note-routes';
import { revealRoutes } from './reveal-routes';
import { toAccessToken } from './token-row';
import { transcriptChangeRoutes } from './transcript-routes';

const noSuch = (field: string, reason: string): ChangeAnswer => ({
  ok: false,
  status: 404,
  code: 'not_found',
  field,
  reason,
});

export const changeRoutes: readonly ChangeEntry[] = [
  change({
    method: 'PATCH',
    path: '/projects/{name}/settings',
    operation: 'changeProjectSettings',
    summary: 'Sets lines of a project; turns from then on are judged by them',
    body: projectSettingsChange,
    response: projectSettings,
    apply: async ({ sql, id, actor }, body) => {
      const result = await changeProjectSettings(sql, id, body, actor);
      switch (result.type) {
        case 'changed':
          return { ok: true, status: 200, body: result.settings };
        case 'outdated': {
          const reason = 'somebody changed these settings since they were read: read them again';
          return { ok: false, status: 409, code: 'changed_meanwhile', field: 'version', reason };
        }
        case 'invalid': {
          const { field, reason } = result;
          return { ok: false, status: 400, code: 'invalid_body', field: `thresholds.${field}`, reason };
        }
        case 'unknown':
          return noSuch('name', 'there is no project of this name');
      }
    },
  }),
  change({
    method: 'POST',
    path: '/tokens',
    operation: 'createToken',
    summary: 'Makes an access token; the answer is the only time it is shown',
    body: newToken,
    response: createdToken,
    apply: async ({ sql, actor }, body) => {
      const { secret, token } = await transact(sql, async (tx) => {
        const detail = { name: body.name, scope: body.scope };
        await recordAct(tx, { actor, action: 'token_created', project: null, detail });
        return issueToken(tx, body);
      });
      return { ok: true, status: 201, body: { secret, token: toAccessToken(token) } };
    },
  }),
  {
    method: 'DELETE',
    path: '/tokens/{id}',
    operation: 'revokeToken',
    summary: 'Ends an access token for good; every process refuses it within a minute',
    body: null,
    response: revokedToken,
    handle: async ({ sql, id, actor }) => {
      const token = (await listTokens(sql)).find((listed) => String(listed.id) === id);
      // Two operators at once: the second is told, and not that the token is his to end.
      if (!token || !(await revokeToken(sql, token, actor))) {
        return noSuch('id', 'no good token has this id: it is unknown or was revoked before');
      }
      return { ok: true, status: 200, body: { revoked: toAccessToken(token) } };
    },
  },
  ...noteChangeRoutes,
  ...transcriptChangeRoutes,
  ...revealRoutes,
];
