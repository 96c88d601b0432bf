'use client';
/** The viewer's time zone. The server knows it from the second visit on, and renders UTC before. */
export { useShownZone as useTimeZone } from '../preferences/preferences-provider';
