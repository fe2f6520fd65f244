//! How the window's own parts look. Everything in the timeline comes from [`Theme`]; the few colours beside it are here.

use egui::epaint::Shadow;
use egui::style::{Selection, WidgetVisuals, Widgets};
use egui::{
    Color32, Context, CornerRadius, FontFamily, FontId, Margin, RichText, Stroke, TextStyle, Vec2, Visuals, vec2,
};

use crate::drawing::{Rgba, Theme, color32, fonts};

/// The colours of the window.
#[derive(Clone, Debug)]
pub(in crate::window) struct Palette {
    /// Of timeline and figures.
    pub(in crate::window) theme: Theme,
    /// Behind the timeline.
    pub(in crate::window) background: Color32,
    /// Bars and side panels.
    pub(in crate::window) panel: Color32,
    /// Cards, buttons and pills.
    pub(in crate::window) raised: Color32,
    /// The same under the pointer.
    pub(in crate::window) hovered: Color32,
    /// Hairlines.
    pub(in crate::window) line: Color32,
    /// Text.
    pub(in crate::window) text: Color32,
    /// Text of second rank.
    pub(in crate::window) muted: Color32,
    /// Outline of what is selected, links, the open scenario.
    pub(in crate::window) accent: Color32,
    /// Behind what is selected.
    pub(in crate::window) selected: Color32,
    /// The chosen one of several.
    pub(in crate::window) primary: Color32,
    /// Text on it.
    pub(in crate::window) on_primary: Color32,
    /// A switch that is on.
    pub(in crate::window) on: Color32,
    /// A switch that is off.
    pub(in crate::window) off: Color32,
    /// Text about something that went wrong.
    pub(in crate::window) alert: Color32,
    /// Behind it.
    pub(in crate::window) alert_ground: Color32,
}

impl Palette {
    /// For dark or bright rooms.
    pub(in crate::window) fn new(dark: bool) -> Self {
        let theme = if dark { Theme::dark() } else { Theme::light() };
        let pick = |on_dark: u32, on_light: u32| color32(Rgba::hex(if dark { on_dark } else { on_light }));
        Self {
            background: color32(theme.background),
            panel: pick(0x1a1e25, 0xf5f7fa),
            raised: pick(0x1f242c, 0xedf0f5),
            hovered: pick(0x2a313c, 0xe2e7ee),
            line: pick(0x2b323d, 0xd9dee6),
            text: color32(theme.text),
            muted: pick(0x949dac, 0x5c6674),
            accent: pick(0x64b1fa, 0x1f6cc5),
            selected: pick(0x263a50, 0xcfdff1),
            primary: pick(0x64b1fa, 0x1f6cc5),
            on_primary: pick(0x06131f, 0xffffff),
            on: pick(0x3cb488, 0x168a60),
            off: pick(0x4a5362, 0x98a2b0),
            alert: color32(theme.alert),
            alert_ground: pick(0x3a2023, 0xfbe4e2),
            theme,
        }
    }

    /// Makes egui look so.
    pub(in crate::window) fn apply(&self, ctx: &Context) {
        ctx.set_theme(if self.theme.dark { egui::Theme::Dark } else { egui::Theme::Light });
        ctx.all_styles_mut(|style| {
            style.visuals = self.visuals();
            style.text_styles = text_styles();
            style.spacing.item_spacing = vec2(8.0, 6.0);
            style.spacing.button_padding = vec2(10.0, 4.0);
            style.spacing.interact_size = vec2(30.0, 24.0);
            style.spacing.slider_width = 100.0;
            style.spacing.slider_rail_height = 3.0;
            style.spacing.menu_margin = Margin::same(8);
            style.spacing.window_margin = Margin::same(16);
            style.interaction.tooltip_delay = 0.4;
            style.interaction.selectable_labels = false;
            style.url_in_tooltip = false;
        });
    }

    fn visuals(&self) -> Visuals {
        let base = if self.theme.dark { Visuals::dark() } else { Visuals::light() };
        let widget = |fill: Color32, line: Color32, text: Color32| WidgetVisuals {
            bg_fill: fill,
            weak_bg_fill: fill,
            bg_stroke: Stroke::new(1.0, line),
            corner_radius: CornerRadius::same(6),
            fg_stroke: Stroke::new(1.0, text),
            expansion: 0.0,
        };
        let shadow = Shadow { offset: [0, 6], blur: 20, spread: 0, color: Color32::from_black_alpha(70) };
        Visuals {
            widgets: Widgets {
                noninteractive: widget(self.panel, self.line, self.text),
                inactive: widget(self.raised, self.line, self.text),
                hovered: widget(self.hovered, self.line, self.text),
                active: widget(self.hovered, self.accent, self.text),
                open: widget(self.hovered, self.line, self.text),
            },
            selection: Selection { bg_fill: self.selected, stroke: Stroke::new(1.0, self.accent) },
            hyperlink_color: self.accent,
            faint_bg_color: self.raised,
            extreme_bg_color: self.background,
            code_bg_color: self.raised,
            warn_fg_color: self.alert,
            error_fg_color: self.alert,
            window_corner_radius: CornerRadius::same(10),
            window_shadow: shadow,
            window_fill: self.panel,
            window_stroke: Stroke::new(1.0, self.line),
            menu_corner_radius: CornerRadius::same(8),
            panel_fill: self.background,
            popup_shadow: shadow,
            weak_text_color: Some(self.muted),
            slider_trailing_fill: true,
            ..base
        }
    }
}

fn text_styles() -> std::collections::BTreeMap<TextStyle, FontId> {
    [
        (TextStyle::Small, FontId::proportional(11.0)),
        (TextStyle::Body, FontId::proportional(13.0)),
        (TextStyle::Button, FontId::proportional(12.5)),
        (TextStyle::Heading, FontId::new(16.0, semibold())),
        (TextStyle::Monospace, FontId::monospace(12.0)),
    ]
    .into()
}

/// The family of thick letters.
pub(in crate::window) fn semibold() -> FontFamily {
    FontFamily::Name(fonts::SEMIBOLD.into())
}

/// A text in thick letters.
pub(in crate::window) fn strong(text: impl Into<String>, size: f32) -> RichText {
    RichText::new(text).font(FontId::new(size, semibold()))
}

/// The size of controls in bars.
pub(in crate::window) const CONTROL: Vec2 = vec2(30.0, 26.0);
