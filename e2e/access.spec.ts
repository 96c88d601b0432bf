import { WebSocket } from 'ws';
import { expect, test } from './support/test';

/** The tests in server/http cover the other refusals of the gate. */
test('A page of another origin can read neither sessions nor the live feed', async ({
  page,
  server,
  guard,
}) => {
  guard.allow(/./);
  await page.route('http://localhost:4999/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Elsewhere</title>' }),
  );
  await page.goto('http://localhost:4999/');
  const outcome = await page.evaluate(async (url) => {
    const read = await fetch(`${url}/api/v1/sessions`).then(
      (answer) => answer.status,
      () => 'blocked',
    );
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/live`);
    const live = await new Promise((resolve) => {
      socket.onopen = () => resolve('open');
      socket.onerror = () => resolve('refused');
    });
    return { read, live };
  }, server.url);
  expect(outcome).toEqual({ read: 'blocked', live: 'refused' });
});

test('The API and the live feed require a known token of the right scope', async ({ server }) => {
  const { ingestToken, readToken } = server.connection;
  const wrong = `bg_${'x'.repeat(40)}`;
  const statusOf = async (token: string | null, search = '') => {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    return (await fetch(`${server.url}/api/v1/sessions${search}`, { headers })).status;
  };
  expect([await statusOf(null), await statusOf(wrong)]).toEqual([401, 401]);
  expect([await statusOf(ingestToken), await statusOf(readToken)]).toEqual([403, 200]);
  expect(await statusOf(null, `?token=${readToken}`), 'a token in the address').toBe(400);
  const knock = (headers: Record<string, string>) =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/live`, { headers });
      socket.once('open', () => resolve('open'));
      socket.once('error', ({ message }) => resolve(message));
      socket.once('open', () => socket.close());
    });
  expect(await knock({})).toContain('401');
  expect(await knock({ authorization: `Bearer ${wrong}` })).toContain('401');
  expect(await knock({ authorization: `Bearer ${readToken}` })).toBe('open');
});
