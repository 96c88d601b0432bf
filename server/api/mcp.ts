/**
 * The Model Context Protocol over HTTP, for agents on other machines. Its tools call the read API with the caller's own
 * token, so the checks of the token, the masks and the audit log are those of the API.
 */
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Hono } from 'hono';
import { errorBody } from '../../core/api/responses';
import { type ApiGet, createApiHistory } from '../../core/mcp/api-history';
import { createHistoryServer } from '../../core/mcp/create-history-server';
import { HistoryError } from '../../core/mcp/history';
import { estimateTokens } from '../../core/tokens/estimate-tokens';
import { type ApiEnv, allow } from './api';

/** @param prefix path of the API in `app` */
export function mountMcp(app: Hono<ApiEnv>, prefix: string, version: string): void {
  app.all(`${prefix}/mcp`, allow('read'), (c) => {
    const get: ApiGet = async (path, parameters = {}) => {
      const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
      const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
      // The environment holds the caller's headers, so the route checks the same token.
      const response = await app.request(`${prefix}${path}?${query}`, undefined, c.env);
      const answer: unknown = await response.json();
      if (response.ok) return answer as never;
      const { error } = errorBody.parse(answer);
      throw new HistoryError(error.field === '' ? error.reason : `${error.field}: ${error.reason}`);
    };
    const history = createApiHistory(get);
    const handler = createMcpHandler(() =>
      createHistoryServer(history, { version, estimate: estimateTokens }),
    );
    return handler.fetch(c.req.raw);
  });
}
