/** Whether archives may leave this process, and for which server. */
import { type RunnerSettings, sameServer } from '../settings';
import type { ArchiveServer } from './archive-server';

export type UploadPermission =
  | { allowed: true; server: ArchiveServer; isLocal: boolean }
  /** A sentence for the owner. */
  | { allowed: false; reason: string };

type Needed = Pick<RunnerSettings, 'url' | 'token' | 'content' | 'uploadArchives' | 'localServer'>;

/**
 * Towards a server on this machine always, unless content is off; towards any other only where its owner said so.
 *
 * An address of this machine proves nothing: a tunnel may end there. On this machine is the server whose
 * `connection.json` lies here, once it has proven that it knows the secret of that file; it is asked before each call,
 * and sent nothing else until then.
 */
export function uploadPermission(settings: Needed): UploadPermission {
  const { url, token, content, uploadArchives, localServer } = settings;
  if (url === null) return { allowed: false, reason: 'no server is known' };
  if (!content) return { allowed: false, reason: 'content is off' };
  if (uploadArchives === 'off') {
    return { allowed: false, reason: 'it is switched off (BAROGRAPH_UPLOAD_ARCHIVES)' };
  }
  if (localServer !== null && sameServer(url, localServer.url) && isLoopback(url)) {
    // Who names the address, a token of its own, and says `on`, means whoever answers there.
    const isMeant = uploadArchives === 'on' && token !== null && token !== localServer.token;
    if (!isMeant) {
      return {
        allowed: true,
        server: { url, token: localServer.token, secret: localServer.secret },
        isLocal: true,
      };
    }
  }
  if (uploadArchives === 'on') return { allowed: true, server: { url, token }, isLocal: false };
  return {
    allowed: false,
    reason: `${url} is not known to be on this machine, and BAROGRAPH_UPLOAD_ARCHIVES is not on`,
  };
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
