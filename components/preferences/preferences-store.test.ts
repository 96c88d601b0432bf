import { describe, expect, it } from 'vitest';
import { PREFERENCES_COOKIE } from './preferences';
import { createPreferencesStore } from './preferences-store';

/** Tabs of one browser: they share their cookies, and hear each other. */
function browser(first = '') {
  let cookie = first;
  const tabs: { store: ReturnType<typeof createPreferencesStore>; shown: string[] }[] = [];
  return {
    cookie: () => cookie,
    set(text: string) {
      cookie = text;
    },
    open() {
      const shown: string[] = [];
      const store = createPreferencesStore({
        readCookies: () => cookie,
        writeCookie: (text) => {
          cookie = `other=1; ${text.split('; ')[0]}`;
        },
        show: ({ theme, density }) => shown.push(`${theme} ${density}`),
        announce: (kept) => {
          for (const tab of tabs) if (tab.store !== store) tab.store.hear(kept);
        },
        localZone: () => 'Europe/Berlin',
      });
      const tab = { store, shown };
      tabs.push(tab);
      return tab;
    },
  };
}

describe('the preferences of a tab', () => {
  it('are read from the cookie, with the browser’s own zone', () => {
    const { store } = browser(`a=b; ${PREFERENCES_COOKIE}=theme%3Ddark%26local%3DAsia%252FTokyo`).open();
    expect(store.get()).toMatchObject({ theme: 'dark', localZone: 'Europe/Berlin' });
    expect(browser(`${PREFERENCES_COOKIE}=%E0%A4`).open().store.get().theme).toBe('system');
  });

  it('change here, in the cookie and in every other tab', () => {
    const shared = browser();
    const one = shared.open();
    const two = shared.open();
    let calls = 0;
    two.store.subscribe(() => {
      calls += 1;
    });
    one.store.change({ theme: 'dark' });
    one.store.change({ density: 'compact', zone: 'UTC' });
    expect(two.store.get()).toMatchObject({ theme: 'dark', density: 'compact', zone: 'UTC' });
    expect(two.shown).toEqual(['dark comfortable', 'dark compact']);
    expect(calls).toBe(2);
    expect(shared.open().store.get(), 'and in a tab that is opened later').toEqual(one.store.get());
  });

  it('stay the same object without notifications while the cookie is the same', () => {
    const { store, shown } = browser().open();
    store.change({ range: '7d' });
    const held = store.get();
    store.readAgain();
    expect(store.get()).toBe(held);
    expect(shown).toHaveLength(1);
  });

  it('are read again when another tab changed them unheard', () => {
    const shared = browser();
    const frozen = shared.open();
    const silent = browser();
    silent.open().store.change({ theme: 'light' });
    shared.set(silent.cookie());
    expect(frozen.store.get().theme).toBe('system');
    frozen.store.readAgain();
    expect(frozen.store.get().theme).toBe('light');
  });

  it('give up the cookie’s words when everything is at its default again', () => {
    const shared = browser();
    const { store } = shared.open();
    store.change({ theme: 'dark' });
    store.change({ theme: 'system' });
    expect(decodeURIComponent(shared.cookie())).not.toContain('theme');
  });
});
