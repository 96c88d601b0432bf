import { expect, test } from './support/test';

/** Tests of server/http, server/api and server/live cover the other refusals. */
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
