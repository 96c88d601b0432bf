import type { Session } from '@/core/api/session';

export function sessionTitle(session: Session): string {
  return session.title ?? session.key;
}

/** A model without vendor prefix and date: `claude-opus-4-5-20251101` is `opus-4-5`. */
export function shortModel(model: string): string {
  return model.replace(/^claude-/, '').replace(/-\d{8}$/, '');
}

/** `project · model · host`; the runner replaces an unknown host. */
export function sessionMeta({ project, model, host, runner }: Session): string {
  return [project, model === null ? null : shortModel(model), host ?? runner].filter(Boolean).join(' · ');
}
