/** Browser arguments besides Playwright's. */

/** Playwright's own list: only the last `--disable-features` of a command line counts. */
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
 * Pages and a process that the browser prepares for each context without need, in a third of a second.
 */
const UNSEEN = ['SpareRendererForSitePerProcess', 'WebUIOmniboxAimPopup', 'WebUIOmniboxPopup'];

export const DISABLED_FEATURES: readonly string[] = [...PLAYWRIGHTS, ...UNSEEN];

/** @param isRoot the browser's sandbox does not work for root */
export function browserArguments(isRoot: boolean): string[] {
  return [`--disable-features=${DISABLED_FEATURES.join(',')}`, ...(isRoot ? ['--no-sandbox'] : [])];
}
