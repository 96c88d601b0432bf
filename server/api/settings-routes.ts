/** Reads of what operators set. */
import { z } from 'zod';
import { retentionParameters, retentionPreview } from '../../core/api/retention';
import { limitList, projectSettings, tokenList } from '../../core/api/settings';
import { listLimits } from '../../db/queries/settings/list-limits';
import { loadProjectSettings } from '../../db/queries/settings/project-settings';
import { listTokens } from '../../db/queries/tokens/list-tokens';
import { previewRetention } from '../../db/transcripts/preview-retention';
import { entry, found, type RouteEntry } from './route-entry';
import { toAccessToken } from './token-row';

const none = z.strictObject({});

export const settingsRoutes: readonly RouteEntry[] = [
  entry({
    path: '/projects/{name}/settings',
    operation: 'getProjectSettings',
    summary: 'Lines of a project: what it sets itself, and what is in force',
    scopes: ['read', 'admin'],
    parameters: none,
    response: projectSettings,
    answer: async ({ sql, id }) => {
      const settings = await loadProjectSettings(sql, id);
      if (!settings) return { type: 'missing', field: 'name', reason: 'there is no project of this name' };
      return found(settings);
    },
  }),
  entry({
    path: '/projects/{name}/retention',
    operation: 'previewRetention',
    summary: 'What a project keeps of transcripts, and what a retention would delete now; nothing is deleted',
    scopes: ['read', 'admin'],
    parameters: retentionParameters,
    response: retentionPreview,
    answer: async ({ sql, id }, parameters) => {
      const preview = await previewRetention(sql, id, parameters);
      if (!preview) return { type: 'missing', field: 'name', reason: 'there is no project of this name' };
      return found(preview);
    },
  }),
  entry({
    path: '/limits',
    operation: 'listLimits',
    summary: 'Context windows: the model table, and what sessions were measured against last',
    scopes: ['read', 'admin'],
    parameters: none,
    response: limitList,
    answer: async ({ sql }) => found(await listLimits(sql)),
  }),
  entry({
    path: '/tokens',
    operation: 'listTokens',
    summary: 'Access tokens that are good, the oldest first; never the tokens themselves',
    scopes: ['admin'],
    parameters: none,
    response: tokenList,
    answer: async ({ sql }) => found({ tokens: (await listTokens(sql)).map(toAccessToken) }),
  }),
];
