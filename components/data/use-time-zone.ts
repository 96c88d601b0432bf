'use client';
import { useShownZone } from '../preferences/preferences-provider';

/**
 * The zone that times are shown in: the viewer's choice, else the browser's own. The server renders with it from the
 * second visit on; before that it knows no zone and renders UTC, until the page woke up.
 */
export function useTimeZone(): string {
  return useShownZone();
}
