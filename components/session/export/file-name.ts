import type { Session } from '@/core/api/session';

const LONGEST = 60;

/** `barograph-branch-review-2026-11-22.svg`: plain letters alone, whatever the title holds. */
export function fileName(session: Pick<Session, 'title' | 'key'>, now: number, format: string): string {
  const slug = (session.title ?? session.key)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '');
  const day = new Date(now).toISOString().slice(0, 10);
  return ['barograph', slug, day].filter(Boolean).join('-').concat('.', format);
}
