/** Whether archives may be uploaded, and to which server. */
import { type RunnerSettings, sameServer } from '../settings';
import type { ArchiveServer } from './archive-server';

export type UploadPermission = { allowed: true; server: ArchiveServer } | { allowed: false; reason: string };

type Needed = Pick<RunnerSettings, 'url' | 'token' | 'content' | 'uploadArchives' | 'localServer'>;

/**
 * A server on this machine gets archives unless content or uploads are off; any other server only with `on`. A loopback
 * address proves nothing, because it may be the end of a tunnel: the server must first prove that it knows the secret
 * of the connection file.
 */
export function uploadPermission(settings: Needed): UploadPermission {
  const { url, token, content, uploadArchives, localServer } = settings;
  if (url === null) return { allowed: false, reason: 'no server is known' };
  if (!content) return { allowed: false, reason: 'content is off' };
  if (uploadArchives === 'off') {
    return { allowed: false, reason: 'uploads are switched off (BAROGRAPH_UPLOAD_ARCHIVES)' };
  }
  if (localServer !== null && sameServer(url, localServer.url) && isLoopback(url)) {
    const isMeant = uploadArchives === 'on' && token !== null && token !== localServer.token;
    if (!isMeant) return { allowed: true, server: { ...localServer, url } };
  }
  if (uploadArchives === 'on') return { allowed: true, server: { url, token } };
  return {
    allowed: false,
    reason: `${url} is not known to be on this machine, and BAROGRAPH_UPLOAD_ARCHIVES is not on`,
  };
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
