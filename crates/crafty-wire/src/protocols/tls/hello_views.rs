//! The fields by which a layer shows hellos and certificates: records of TLS have them, and so have
//! the messages that records hold.

/// The fields of a layer that shows hellos: those before them, the views, and those behind.
macro_rules! with_hello_views {
    ([$($before:expr),* $(,)?], [$($after:expr),* $(,)?]) => {
        layout([
            $($before,)*
            named("hello_version", 16, $crate::protocols::tls::hello::VERSIONS)
                .view()
                .doc("Version that a hello names; the real one is in `versions`."),
            bytes("random").extent(Extent::Bits).view().doc("Random bytes of a hello."),
            bytes("session_id").extent(Extent::Bits).view().doc("Session ID of a hello."),
            uint("cipher", 16).view().doc("Cipher suite that the server chose."),
            text("ciphers")
                .extent(Extent::Bits)
                .view()
                .doc("Cipher suites that the client offers, in hex, separated by spaces."),
            text("sni").extent(Extent::Bits).view().doc("Name of the server that the client wants."),
            text("alpn")
                .extent(Extent::Bits)
                .view()
                .doc("Protocols offered or chosen, separated by spaces."),
            text("versions")
                .extent(Extent::Bits)
                .view()
                .doc("Versions offered or chosen, separated by spaces."),
            text("groups")
                .extent(Extent::Bits)
                .view()
                .doc("Key exchange groups that the client supports, in hex, separated by spaces."),
            text("signatures")
                .extent(Extent::Bits)
                .view()
                .doc("Signature schemes that the client supports, in hex, separated by spaces."),
            text("key_share")
                .extent(Extent::Bits)
                .view()
                .doc("Groups of the keys offered, or of the one chosen, in hex; read only."),
            bytes("x25519")
                .extent(Extent::Bits)
                .view()
                .doc("X25519 key that is offered or chosen."),
            text("extensions")
                .extent(Extent::Bits)
                .view()
                .doc("Numbers of the extensions in their order, in hex; read only."),
            uint("retry", 1)
                .view()
                .doc("1 if a server's hello asks the client for another hello."),
            text("cert_names")
                .extent(Extent::Bits)
                .view()
                .doc("Names in the first certificate, separated by spaces; read only."),
            $($after,)*
        ])
    };
}
pub(crate) use with_hello_views;
