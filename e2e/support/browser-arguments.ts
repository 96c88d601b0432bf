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

/** Unused pages and a spare process, which take a third of a second per context. */
const UNSEEN = ['SpareRendererForSitePerProcess', 'WebUIOmniboxAimPopup', 'WebUIOmniboxPopup'];

export const DISABLED_FEATURES: readonly string[] = [...PLAYWRIGHTS, ...UNSEEN];

/** @param isRoot the browser's sandbox does not work for root */
export function browserArguments(isRoot: boolean): string[] {
  return [`--disable-features=${DISABLED_FEATURES.join(',')}`, ...(isRoot ? ['--no-sandbox'] : [])];
}
