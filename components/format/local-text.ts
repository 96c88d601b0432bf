/** Days and times in text fields, year first. The browser's date fields use the order of its locale. */
import { instantOf, zoneOffsetMs } from '@/core/time/zone-offset';

const DAY_MS = 86_400_000;

export const DAY_PATTERN = 'yyyy-mm-dd';
export const MINUTE_PATTERN = 'yyyy-mm-dd hh:mm';

/** `2026-10-20`. @param day midnight in UTC */
export function dayText(day: Date): string {
  return day.toISOString().slice(0, 10);
}

/** Null: no such day. */
export function readDay(text: string): Date | null {
  const words = text.trim();
  if (!/^\d{4}-\d\d-\d\d$/.test(words)) return null;
  const day = new Date(`${words}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && dayText(day) === words ? day : null;
}

/** The first and the last millisecond of a day in the zone. */
export function dayInstants(day: Date, zone: string): { from: number; to: number } {
  return { from: instantOf(day.getTime(), zone), to: instantOf(day.getTime() + DAY_MS, zone) - 1 };
}

/** `2026-10-20 14:05` in the zone. */
export function minuteText(at: number, zone: string): string {
  return new Date(at + zoneOffsetMs(at, zone)).toISOString().slice(0, 16).replace('T', ' ');
}

/** Milliseconds; null: no such time. A `T` may separate day and time. */
export function readMinute(text: string, zone: string): number | null {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d):(\d\d)$/.exec(text.trim());
  const day = match?.[1] === undefined ? null : readDay(match[1]);
  const [hours, minutes] = [Number(match?.[2]), Number(match?.[3])];
  if (day === null || hours > 23 || minutes > 59) return null;
  return instantOf(day.getTime() + (hours * 60 + minutes) * 60_000, zone);
}
