import Link from 'next/link';
import { Suspense } from 'react';
import { Logo } from '../ui/logo';
import { HelpDialog } from './help-dialog';
import { LiveBadge } from './live-badge';
import { NarrowMenu, NarrowTitle } from './narrow-menu';
import { Nav } from './nav';
import { SearchBox } from './search-box';
import type { Theme } from './theme';
import { ThemeButton } from './theme-switch';

/** The bar on top of every page: where one is, search, and whether the page is live. */
export function TopBar({ theme }: { theme: Theme }) {
  return (
    <header className="page-x relative flex h-[48px] items-center border-b border-hair">
      <Link
        href="/"
        className="mr-[9px] flex items-center gap-[9px] md:mr-[36px]"
        aria-label="Barograph, the fleet"
      >
        <Logo />
        <span className="hidden font-medium md:inline">Barograph</span>
      </Link>
      <NarrowTitle />
      <Nav />
      <div className="ml-auto flex items-center gap-[20px] md:gap-[24px]">
        <Suspense>
          <SearchBox shortcut className="hidden w-[236px] max-[1080px]:w-[150px] min-[960px]:flex" />
        </Suspense>
        <LiveBadge />
        <div className="hidden items-center gap-[14px] md:flex">
          <HelpDialog />
          <ThemeButton initial={theme} />
        </div>
        <Suspense>
          <NarrowMenu>
            <ThemeButton initial={theme} />
          </NarrowMenu>
        </Suspense>
      </div>
    </header>
  );
}
