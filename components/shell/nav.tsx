'use client';
import { usePathname } from 'next/navigation';
import { useState } from 'react';
import { IntentLink } from '../ui/intent-link';
import { activeNavItem, NAV_ITEMS } from './nav-items';
import { SearchBox } from './search-box';

interface LinksProps {
  className: string;
  activeClass: string;
  otherClass: string;
  onClick?: () => void;
}

function Links({ className, activeClass, otherClass, onClick }: LinksProps) {
  const active = activeNavItem(usePathname());
  return NAV_ITEMS.map(({ href, name }) => (
    <IntentLink
      key={href}
      href={href}
      aria-current={active === href ? 'page' : undefined}
      className={`flex items-center ${className} ${active === href ? activeClass : otherClass}`}
      {...(onClick && { onClick })}
    >
      {name}
    </IntentLink>
  ));
}

/** The bar's links; the active one carries a rule on the bar's bottom edge. */
export function Nav() {
  return (
    <nav aria-label="Pages" className="hidden h-full gap-[16px] md:flex xl:gap-[24px]">
      <Links
        className="-mb-px h-[48px] border-b-[1.5px]"
        activeClass="border-ink font-medium text-ink"
        otherClass="border-transparent text-ink2 hover:text-ink"
      />
    </nav>
  );
}

/** On a phone: the pages and the search, under the bar. */
export function NarrowMenu({ children }: { children: React.ReactNode }) {
  const pathname = usePathname();
  const [openAt, setOpenAt] = useState<string | null>(null);
  // Open on the page where it was opened: following a link closes it.
  const open = openAt === pathname;
  return (
    <div className="md:hidden">
      <button
        type="button"
        aria-expanded={open}
        aria-controls="narrow-menu"
        aria-label="Menu"
        className="-m-2 block p-2"
        onClick={() => setOpenAt(open ? null : pathname)}
      >
        <svg
          width="18"
          height="14"
          viewBox="0 0 18 14"
          stroke="currentColor"
          strokeWidth="1.2"
          aria-hidden="true"
        >
          <path d={open ? 'M3 1.5 15 12.5M15 1.5 3 12.5' : 'M0 1.6h18M0 7h18M0 12.4h18'} />
        </svg>
      </button>
      <div
        id="narrow-menu"
        hidden={!open}
        className="absolute inset-x-0 top-[48px] z-40 border-b border-ink bg-paper px-[16px] pb-[16px]"
      >
        <nav aria-label="Pages">
          <Links
            className="h-[44px] border-b border-hair"
            activeClass="font-medium"
            otherClass="text-ink2"
            onClick={() => setOpenAt(null)}
          />
        </nav>
        <div className="flex items-center gap-[16px] pt-[12px]">
          <SearchBox className="flex-1" />
          {children}
        </div>
      </div>
    </div>
  );
}

/** The name of the page, where there is no room for the bar's links. */
export function NarrowTitle() {
  const active = activeNavItem(usePathname());
  const name = NAV_ITEMS.find(({ href }) => href === active)?.name ?? 'Barograph';
  return <span className="font-medium md:hidden">{name}</span>;
}
