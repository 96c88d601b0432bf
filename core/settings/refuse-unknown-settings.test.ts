import { describe, expect, it } from 'vitest';
import { refuseUnknownSettings, UnknownSettingError } from './refuse-unknown-settings';

const known = ['repoPath', 'configDir', 'contextRestartThreshold', 'logger'];
const retired = { context_limit: 'The client compacts by itself; remove the setting.' };

describe('a settings object', () => {
  it('with an unknown name is refused by that name, with the nearest known one', () => {
    expect(() => refuseUnknownSettings({ context_restart_treshold: 0.9 }, known)).toThrow(
      'Unknown setting "context_restart_treshold". Did you mean "contextRestartThreshold"?',
    );
    expect(() => refuseUnknownSettings({ repo_path: '/a' }, known)).toThrow('Did you mean "repoPath"?');
  });

  it('with a retired name is refused by that name, and told what stands in its place', () => {
    expect(() => refuseUnknownSettings({ context_limit: 200_000 }, known, { retired })).toThrow(
      'Unknown setting "context_limit". The client compacts by itself; remove the setting.',
    );
  });

  it('of known names alone passes, even when their values are undefined', () => {
    expect(() =>
      refuseUnknownSettings({ repoPath: undefined, logger: {} }, known, { retired }),
    ).not.toThrow();
    expect(() => refuseUnknownSettings(undefined, known)).not.toThrow();
    expect(() => refuseUnknownSettings({}, [])).not.toThrow();
  });

  it('is judged by its own names, so that inherited ones and those of every object mean nothing', () => {
    expect(() => refuseUnknownSettings(Object.create({ wrong: 1 }), known)).not.toThrow();
    expect(() => refuseUnknownSettings({ constructor: 1 }, known, { retired })).toThrow(
      /^Unknown setting "constructor"\. Did you mean/,
    );
  });

  it('tells the name and the nearest one to programs, and no nearest where nothing is known', () => {
    const refusal = (settings: object, names: string[]) => {
      try {
        refuseUnknownSettings(settings, names);
      } catch (error) {
        return error;
      }
      return null;
    };
    expect(refusal({ configDri: 1 }, known)).toBeInstanceOf(UnknownSettingError);
    expect(refusal({ configDri: 1 }, known)).toMatchObject({ setting: 'configDri', nearest: 'configDir' });
    expect(refusal({ a: 1 }, [])).toMatchObject({ message: 'Unknown setting "a".', nearest: null });
  });
});
