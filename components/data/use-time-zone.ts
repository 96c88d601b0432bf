'use client';
/**
 * The zone that times are shown in: the viewer's choice, else the browser's own. The server knows it from the second
 * visit on, and renders UTC before.
 */
export { useShownZone as useTimeZone } from '../preferences/preferences-provider';
