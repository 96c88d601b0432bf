import { describe, expect, it } from 'vitest';
import { refuseUnknownSettings, UnknownSettingError } from './refuse-unknown-settings';

const known = ['repoPath', 'configDir', 'contextRestartThreshold', 'logger'];
const retired = { context_limit: 'The client compacts by itself; remove the setting.' };

describe('refuseUnknownSettings', () => {
  it('refuses an unknown name and suggests the nearest known one', () => {
    expect(() => refuseUnknownSettings({ context_restart_treshold: 0.9 }, known)).toThrow(
      'Unknown setting "context_restart_treshold". Did you mean "contextRestartThreshold"?',
    );
    expect(() => refuseUnknownSettings({ repo_path: '/a' }, known)).toThrow('Did you mean "repoPath"?');
  });

  it('refuses a retired name with its replacement', () => {
    expect(() => refuseUnknownSettings({ context_limit: 200_000 }, known, { retired })).toThrow(
      'Unknown setting "context_limit". The client compacts by itself; remove the setting.',
    );
  });

  it('accepts known names, even with undefined values', () => {
    expect(() =>
      refuseUnknownSettings({ repoPath: undefined, logger: {} }, known, { retired }),
    ).not.toThrow();
    expect(() => refuseUnknownSettings(undefined, known)).not.toThrow();
    expect(() => refuseUnknownSettings({}, [])).not.toThrow();
  });

  it('checks own properties only', () => {
    expect(() => refuseUnknownSettings(Object.create({ wrong: 1 }), known)).not.toThrow();
    expect(() => refuseUnknownSettings({ constructor: 1 }, known, { retired })).toThrow(
      /^Unknown setting "constructor"\./,
    );
  });

  it('throws an error with the name and the nearest known name, or null without known names', () => {
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

  it('lists the settings instead of a hint if no name is similar', () => {
    expect(() => refuseUnknownSettings({ maxTokens: 1 }, ['limit', 'threshold'])).toThrow(
      'Unknown setting "maxTokens". The settings are limit, threshold.',
    );
  });
});
