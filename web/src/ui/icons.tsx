// Icons as paths on a 16 by 16 grid.
const paths = {
  up: "M8 4l4 5H4z",
  down: "M8 12L4 7h8z",
  filter: "M2 3h12l-4.5 5.5V13l-3-1.5v-3z",
  copy: "M5 2h8v9h-2V4H5zM3 5h7v9H3zm1.5 1.5v6h4v-6z",
  check: "M3 8.5l1.2-1.2L7 10l5.8-6L14 5.2 7 12.5z",
  link: "M6.6 9.4a3 3 0 010-4.2l2-2a3 3 0 014.2 4.2l-1 1-1-1 1-1a1.6 1.6 0 00-2.2-2.2l-2 2a1.6 1.6 0 000 2.2zm2.8-2.8a3 3 0 010 4.2l-2 2a3 3 0 01-4.2-4.2l1-1 1 1-1 1a1.6 1.6 0 002.2 2.2l2-2a1.6 1.6 0 000-2.2z",
  search: "M7 2a5 5 0 013.9 8.1l3 3-1 1-3-3A5 5 0 117 2zm0 1.5a3.5 3.5 0 100 7 3.5 3.5 0 000-7z",
  sun: "M8 5a3 3 0 110 6 3 3 0 010-6zM7.3 1h1.4v2.2H7.3zm0 11.8h1.4V15H7.3zM1 7.3h2.2v1.4H1zm11.8 0H15v1.4h-2.2zM2.6 3.6l1-1 1.5 1.5-1 1zm8.3 8.3l1-1 1.5 1.5-1 1zm1.5-9.3l1 1-1.5 1.5-1-1zM4.1 10.9l1 1-1.5 1.5-1-1z",
  moon: "M6.5 2a6 6 0 107.3 7.6A5 5 0 016.5 2z",
  auto: "M8 2a6 6 0 110 12A6 6 0 018 2zm0 1.4v9.2a4.6 4.6 0 000-9.2z",
  pause: "M4 3h3v10H4zm5 0h3v10H9z",
  play: "M4 2.5l9 5.5-9 5.5z",
  alert: "M8 1.5l7 12.5H1zM7.3 6v4h1.4V6zm0 5v1.4h1.4V11z",
  plus: "M7.2 3h1.6v4.2H13v1.6H8.8V13H7.2V8.8H3V7.2h4.2z",
  minus: "M3 7.2h10v1.6H3z",
  fit: "M2 2h4.5v1.5h-3v3H2zm7.5 0H14v4.5h-1.5v-3h-3zM2 9.5h1.5v3h3V14H2zm10.5 0H14V14H9.5v-1.5h3z",
  close: "M4 3l4 4 4-4 1 1-4 4 4 4-1 1-4-4-4 4-1-1 4-4-4-4z",
  reload: "M13.6 2.3v4.2H9.4l1.6-1.6a4.2 4.2 0 10.9 5h1.7A5.8 5.8 0 1112.1 3.8z",
  flask: "M6 2h4v1.4h-.6V6.6l3.7 6A1 1 0 0112.2 14H3.8a1 1 0 01-.9-1.5l3.7-5.9V3.4H6z",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" focusable="false">
      <path d={paths[name]} fill="currentColor" fill-rule="evenodd" />
    </svg>
  );
}
