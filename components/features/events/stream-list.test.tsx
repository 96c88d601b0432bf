import { AppRouterContext } from 'next/dist/shared/lib/app-router-context.shared-runtime';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { testEvent } from '@/core/live/testing-rows';
import { LiveProvider } from '../../data/live-provider';
import { StreamList } from './stream-list';

it('gives each row its index, so that a focused row stays drawn when it scrolls away', () => {
  const none = () => undefined;
  const html = renderToStaticMarkup(
    <AppRouterContext value={{} as never}>
      <LiveProvider renderedAt={0}>
        <StreamList
          events={[testEvent('a'), testEvent('b')]}
          hasOlder={false}
          isBusy={false}
          onEnd={none}
          handlers={{ onFocus: none, onBlur: none }}
        />
      </LiveProvider>
    </AppRouterContext>,
  );
  expect([...html.matchAll(/data-index="(\d+)"/g)].map(([, index]) => index)).toEqual(['1', '2']);
});
