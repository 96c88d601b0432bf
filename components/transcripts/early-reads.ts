/**
 * Reads that the page's HTML itself begins, while the page's scripts are still on their way: the script asks, and what
 * reads by the API takes the answer. Each is taken once, by its path; one that failed is asked for anew.
 */
declare global {
  interface Window {
    barographEarlyReads?: Record<string, Promise<Response | null>>;
  }
}

/** @param paths of the API, of this server; nothing a stranger wrote. */
export function earlyReadsScript(paths: readonly string[]): string {
  // What stands in a script element must not end it.
  const list = JSON.stringify(paths).replaceAll('<', '\\u003c');
  return `{const reads=window.barographEarlyReads={};for(const path of ${list})reads[path]=fetch(path,{headers:{accept:"application/json"}}).catch(()=>null)}`;
}

/** Null: nobody asked for it early, it was taken before, or it came to nothing. */
export async function takeEarlyRead(path: string): Promise<Response | null> {
  const reads = typeof window === 'undefined' ? undefined : window.barographEarlyReads;
  const early = reads?.[path];
  if (reads === undefined || early === undefined) return null;
  delete reads[path];
  const answer = await early;
  return answer?.ok === true ? answer : null;
}
