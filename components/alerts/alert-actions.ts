import { fetchJson } from '../data/fetch-json';

export const acknowledge = (id: string) =>
  fetchJson<unknown>(`/api/v1/alerts/${id}/acknowledge`, { method: 'POST' });

/** @param minutes 0: end the mute */
export const muteSession = (session: string, minutes: number) =>
  fetchJson<unknown>(`/api/v1/sessions/${session}/mute`, { method: 'POST', body: { minutes } });

export const MUTE_MINUTES = 60;
