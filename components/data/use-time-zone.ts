'use client';
/** The viewer's time zone. The server renders UTC on the first visit, before it knows the zone. */
export { useShownZone as useTimeZone } from '../preferences/preferences-provider';
