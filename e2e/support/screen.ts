/** Parts of the pages by role and name. */
import { expect, type Locator, type Page } from '@playwright/test';
import { NAV_ITEMS } from '@/components/shell/nav-items';

/** Every page of the navigation. */
export const PAGES = NAV_ITEMS.map(({ href }) => href);

/** Open a page and wait until it is live, so that it handles input. */
export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expect(badge(page)).toHaveText('live');
  // The page is hydrated after the header; earlier key presses are lost.
  await page.waitForFunction(() => {
    const control = document.querySelector('main a, main button, main input');
    return control === null || Object.keys(control).some((name) => name.startsWith('__reactProps'));
  });
}

/** The fleet, narrowed to one story's sessions. */
export function fleetPath(project: string): string {
  return `/?project=${encodeURIComponent(project)}`;
}

/** The row of the session with that title. */
export function row(page: Page, title: string): Locator {
  return page
    .getByRole('table', { name: 'Sessions' })
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: title, exact: true }) });
}

/** Text of the live badge without its detail. */
export function badge(page: Page): Locator {
  return page.getByRole('banner').getByRole('status');
}

/** The barogram with strip and cache reads. */
export function sheet(page: Page): Locator {
  return page.getByRole('region', { name: 'Barogram' });
}

export function figures(page: Page): Locator {
  return page.getByRole('region', { name: 'Figures' });
}

/** The large pressure figure: `42%`, or words if unknown. */
export function pressure(page: Page): Locator {
  return figures(page).getByRole('heading', { name: 'pressure', exact: true }).locator('..');
}

/** The length of the pressure bar in a row without its stroke, in the bar's own units. */
export async function barLength(row: Locator): Promise<number> {
  return row
    .locator('.c-bar path[stroke="var(--bar)"]')
    .evaluate((path) => (path as SVGPathElement).getBBox().width);
}

/** The value of one of the session's facts. */
export function fact(page: Page, name: string): Locator {
  return figures(page)
    .locator('dl > div')
    .filter({ has: page.getByRole('term').filter({ hasText: name }) })
    .getByRole('definition');
}

export function eventList(page: Page): Locator {
  return page.getByRole('region', { name: 'Events' });
}

/** The event opened beside the list. */
export function openedEvent(page: Page): Locator {
  return page.getByRole('region', { name: 'Opened event' });
}

/** Opens the newest event of that name in the list. */
export async function openEvent(page: Page, name: string | RegExp): Promise<Locator> {
  await eventList(page).getByRole('button').filter({ hasText: name }).first().click();
  return openedEvent(page);
}

/** Text as a reader sees it: plain spaces in numbers, on one line. */
export async function words(place: Locator): Promise<string> {
  return plain(await place.innerText()).replaceAll(/\s+/g, ' ');
}

/** Horizontal overflow of the page, pixels. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Replace the non-breaking spaces of displayed numbers. */
export function plain(text: string): string {
  return text.replaceAll(/[\u00a0\u202f]/g, ' ');
}
