package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// dial prepares a connection to HOST:PORT, or with TLS to tls://HOST:PORT; for that CONTREE_CA,
// CONTREE_CERT and CONTREE_CERT_KEY name files, all optional.
func dial(server string) (*grpc.ClientConn, error) {
	place, secure := strings.CutPrefix(server, "tls://")
	if !secure {
		return grpc.NewClient(place, grpc.WithTransportCredentials(insecure.NewCredentials()))
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if path := os.Getenv("CONTREE_CA"); path != "" {
		pem, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("CONTREE_CA cannot be read: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("CONTREE_CA, %s, holds no certificate", path)
		}
	}
	certificate, key := os.Getenv("CONTREE_CERT"), os.Getenv("CONTREE_CERT_KEY")
	if certificate != "" || key != "" {
		own, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, fmt.Errorf("CONTREE_CERT and CONTREE_CERT_KEY cannot be read: %w", err)
		}
		config.Certificates = []tls.Certificate{own}
	}
	return grpc.NewClient(place, grpc.WithTransportCredentials(credentials.NewTLS(config)))
}
