/** What a browser of the stories is started with beyond what Playwright gives it. */

/** Playwright's own list: the last `--disable-features` of a command line is the only one that counts. */
const PLAYWRIGHTS = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'TcpPortRandomizationWin',
  'ThirdPartyStoragePartitioning',
  'msEdgeUpdateLaunchServicesPreferredVersion',
  'msForceBrowserSignIn',
];

/**
 * Two pages of the address bar's list and a spare process, which the browser makes ready for every new context and no
 * story ever sees: a third of a second of computing each time.
 */
const UNSEEN = ['SpareRendererForSitePerProcess', 'WebUIOmniboxAimPopup', 'WebUIOmniboxPopup'];

export const DISABLED_FEATURES: readonly string[] = [...PLAYWRIGHTS, ...UNSEEN];

/** @param isRoot the browser's own sandbox does not work for root */
export function browserArguments(isRoot: boolean): string[] {
  return [`--disable-features=${DISABLED_FEATURES.join(',')}`, ...(isRoot ? ['--no-sandbox'] : [])];
}
