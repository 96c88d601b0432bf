'use client';
/**
 * Shows a notification of the system for each new alert of a rule with a browser channel, also while the tab is in the
 * background. A group of alerts gets one notification a minute.
 */
import { useEffect, useRef } from 'react';
import type { Alert } from '@/core/api/alerts';
import { newNotices } from './new-notices';
import { useOpenAlerts } from './use-open-alerts';

export function BrowserNotices() {
  const open = useOpenAlerts();
  const known = useRef<ReadonlySet<string> | null>(null);
  const groupedAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    if (open === null) return;
    const { shown, next } = newNotices(open.alerts, known.current, Date.now());
    known.current = next;
    if (shown.length === 0 || !('Notification' in window) || Notification.permission !== 'granted') return;
    if (shown.length <= MOST_SINGLE) {
      for (const alert of shown) show(alert);
      return;
    }
    if (performance.now() - groupedAt.current < GROUP_MS) return;
    groupedAt.current = performance.now();
    notify(`Barograph: ${open.total} alerts`, `${shown.length} new alerts`, 'alerts', '/alerts');
  }, [open]);
  return null;
}

const MOST_SINGLE = 3;
const GROUP_MS = 60_000;

function show({ id, rule, text, session, runner }: Alert): void {
  const subject = session === null ? runner : (session.title ?? session.key);
  const href = session === null ? '/alerts' : `/sessions/${session.id}`;
  notify(`${rule.name}: ${subject}`, text, id, href);
}

/** A tag replaces the notification of another tab with the same alert. */
export function notify(title: string, body: string, tag: string, href: string): void {
  const notification = new Notification(title, { body, tag });
  notification.onclick = () => {
    window.focus();
    location.assign(href);
  };
}
