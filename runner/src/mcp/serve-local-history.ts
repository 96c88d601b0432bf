import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createHistoryServer } from '../../../core/mcp/create-history-server';
import { estimateTokens } from '../../../core/tokens/estimate-tokens';
import { VERSION } from '../version';
import { createLocalHistory, type LocalHistoryOptions } from './local-history';

/** Serve a folder's history on stdin and stdout until the client closes stdin or the signal aborts. */
export async function serveLocalHistory(
  options: LocalHistoryOptions,
  signal: AbortSignal,
  onError: (error: Error) => void,
): Promise<void> {
  const history = createLocalHistory(options);
  const ended = new Promise<void>((done) => {
    process.stdin.once('end', done);
    process.stdin.once('close', done);
    signal.addEventListener('abort', () => done(), { once: true });
  });
  const serving = serveStdio(
    () => createHistoryServer(history, { version: VERSION, estimate: estimateTokens }),
    {
      onerror: onError,
    },
  );
  await ended;
  await serving.close();
}
