/** Control of a page's live connection. */
import type { Page, WebSocketRoute } from '@playwright/test';

export interface LiveLink {
  /** Closes the connection, and refuses further ones. */
  cut(): Promise<void>;
}

interface Frame {
  type: string;
  sessions?: Record<string, unknown>[];
  changed?: Record<string, unknown>[];
  session?: Record<string, unknown>;
}

/**
 * Call this function before the page is opened.
 * @param spoil changes each session's row, so that a panel cannot draw the row
 */
export async function holdLiveLink(
  page: Page,
  spoil?: (row: Record<string, unknown>) => Record<string, unknown>,
): Promise<LiveLink> {
  let isCut = false;
  const open = new Set<WebSocketRoute>();
  await page.routeWebSocket('**/v1/live', (socket) => {
    if (isCut) {
      void socket.close();
      return;
    }
    open.add(socket);
    const server = socket.connectToServer();
    if (spoil === undefined) return;
    server.onMessage((text) => {
      const frame = JSON.parse(String(text)) as Frame;
      if (frame.sessions) frame.sessions = frame.sessions.map(spoil);
      if (frame.changed) frame.changed = frame.changed.map(spoil);
      if (frame.session) frame.session = spoil(frame.session);
      socket.send(JSON.stringify(frame));
    });
  });
  return {
    async cut() {
      isCut = true;
      await Promise.all([...open].map((socket) => socket.close()));
    },
  };
}
